import type { Json } from "./json.ts";

const TELLING_KEYS = [
  "command",
  "cmd",
  "file_path",
  "filePath",
  "path",
  "pattern",
  "query",
  "url",
  "description",
];
const SHOWN_CHARS = 120;

/** What a tool call is about, on one short line, for the log and the terminal. */
export const summarizeToolInput = (input: Json): string => {
  const value = TELLING_KEYS.map((key) => input[key]).find((found) => found !== undefined);
  const text = Array.isArray(value)
    ? value.join(" ")
    : typeof value === "string"
      ? value
      : JSON.stringify(input);
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > SHOWN_CHARS ? `${line.slice(0, SHOWN_CHARS - 1)}…` : line;
};
