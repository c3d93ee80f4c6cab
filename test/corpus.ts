import { existsSync } from "node:fs";
import { resolve } from "node:path";

/**
 * The folder of real data that lies beside a development checkout, or undefined where it is absent.
 * Tests on it say so in their name and are skipped there: `test.skipIf(!corpus)`.
 */
export const corpusDir = (part: string): string | undefined => {
  const path = resolve(import.meta.dirname, "../../shared/corpus", part);
  return existsSync(path) ? path : undefined;
};
