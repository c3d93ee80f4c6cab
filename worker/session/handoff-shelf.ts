import { writeFileDurably } from "../../core/durable-file.ts";
import { readFileIfThere } from "../../core/read-file.ts";
import { errorText } from "../../core/errors.ts";

/** Where handoffs are kept; one that cannot be written now is kept in memory until there is room. */
export type HandoffShelf = {
  put: (path: string, text: string) => void;
  get: (path: string) => string | undefined;
};

/** A full disk must cost no handoff: `onFailure` is told of each failed write, and every later one tries again. */
export const createHandoffShelf = (onFailure: (problem: string) => void): HandoffShelf => {
  const waiting = new Map<string, string>();
  const flush = () => {
    for (const [path, text] of waiting)
      try {
        writeFileDurably(path, text, { mode: 0o600 });
        waiting.delete(path);
      } catch (error) {
        onFailure(errorText(error));
        return;
      }
  };
  return {
    put: (path, text) => {
      waiting.set(path, text);
      flush();
    },
    get: (path) => waiting.get(path) ?? readFileIfThere(path),
  };
};
