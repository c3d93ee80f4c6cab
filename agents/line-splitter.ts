import { StringDecoder } from "node:string_decoder";

/** A line longer than this is no event of any agent we know (whole files in tool results stay below it). */
const MAX_LINE_CHARS = 64 * 1024 * 1024;

/** Cuts a byte stream into lines; `flush` hands over a last line that has no line end. */
export const createLineSplitter = (onLine: (line: string) => void, maxLineChars = MAX_LINE_CHARS) => {
  const decoder = new StringDecoder("utf8");
  let parts: string[] = [];
  let length = 0;
  let isTooLong = false;
  const add = (text: string) => {
    length += text.length;
    if (length > maxLineChars) {
      isTooLong = true;
      parts = [];
    } else if (text !== "") parts.push(text);
  };
  const finish = () => {
    const line = parts.join("").replace(/\r$/, "");
    if (!isTooLong && line !== "") onLine(line);
    parts = [];
    length = 0;
    isTooLong = false;
  };
  const push = (text: string) => {
    let from = 0;
    for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", from)) {
      add(text.slice(from, at));
      finish();
      from = at + 1;
    }
    add(text.slice(from));
  };
  return {
    write: (chunk: Buffer) => push(decoder.write(chunk)),
    flush: () => {
      push(decoder.end());
      finish();
    },
  };
};
