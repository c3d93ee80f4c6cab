import { existsSync } from "node:fs";
import { dirname, join } from "node:path";

const findRoot = (folder: string): string =>
  existsSync(join(folder, "check.mjs")) ? folder : findRoot(dirname(folder));

/** The folder of the Nightshift package itself, whether this runs from its sources or from dist/. */
export const packageRoot = findRoot(import.meta.dirname);
