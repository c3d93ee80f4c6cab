import { systemCode } from "./errors.ts";
import { fs } from "./node-modules.ts";

/** The text of a file, or undefined when there is none. */
export const readFileIfThere = (path: string): string | undefined => {
  try {
    return fs().readFileSync(path, "utf8");
  } catch (error) {
    if (systemCode(error) === "ENOENT" || systemCode(error) === "ENOTDIR") return undefined;
    throw error;
  }
};
