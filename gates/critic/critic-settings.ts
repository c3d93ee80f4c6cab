import type { Severity } from "./catalogue.ts";
import type { Allowance } from "./judge.ts";
import type { OwnPattern } from "./own-patterns.ts";

/** The critic's part of the config, ready for use. */
export type CriticSettings = {
  patterns: OwnPattern[];
  stopAt: Severity;
  disable: string[];
  allow: Allowance[];
  /** the file that decisions are appended to; in the compiled copy as the config says it */
  log: string | undefined;
};
