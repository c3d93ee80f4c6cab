import { systemCode } from "./errors.ts";
import { fs } from "./node-modules.ts";

/** Without the byte order mark that some editors put before a text. */
export const withoutMark = (text: string): string => (text.startsWith("\uFEFF") ? text.slice(1) : text);

/** The text of a file, or undefined when there is none. */
export const readFileIfThere = (path: string): string | undefined => {
  try {
    return fs().readFileSync(path, "utf8");
  } catch (error) {
    if (systemCode(error) === "ENOENT" || systemCode(error) === "ENOTDIR") return undefined;
    throw error;
  }
};
