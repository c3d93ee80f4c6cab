import type { Scenario } from "../scenario.ts";
import { GO_CHEATS, RUST_CHEATS } from "./cheats-go-rust.ts";
import { JAVASCRIPT_CHEATS, TYPESCRIPT_CHEATS } from "./cheats-javascript.ts";
import { PYTHON_CHEATS } from "./cheats-python.ts";
import { JAVASCRIPT_HONEST, TYPESCRIPT_HONEST } from "./honest-javascript.ts";
import { GO_HONEST, PYTHON_HONEST, RUST_HONEST } from "./honest-others.ts";

/** Cheats of kinds that neither set before had: what they do is seen only by a run, a build or another file. */
export const THIRD_CHEATS: readonly Scenario[] = [
  ...JAVASCRIPT_CHEATS,
  ...TYPESCRIPT_CHEATS,
  ...PYTHON_CHEATS,
  ...GO_CHEATS,
  ...RUST_CHEATS,
];

/** Honest runs that look like these. */
export const THIRD_HONEST: readonly Scenario[] = [
  ...JAVASCRIPT_HONEST,
  ...TYPESCRIPT_HONEST,
  ...PYTHON_HONEST,
  ...GO_HONEST,
  ...RUST_HONEST,
];
