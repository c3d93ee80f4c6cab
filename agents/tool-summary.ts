import { type Json, textAt } from "./json.ts";

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
  return shorten(text, SHOWN_CHARS);
};

const PROBLEM_CHARS = 400;

/** Why a tool failed, in one short line, from what it or the agent wrote; empty where nothing was said. */
export const summarizeToolProblem = (output: unknown): { reason?: string } => {
  const text = Array.isArray(output)
    ? output.map((part: Json) => textAt(part, "text") ?? "").join(" ")
    : typeof output === "string"
      ? output
      : "";
  const reason = shorten(text, PROBLEM_CHARS);
  return reason === "" ? {} : { reason };
};

const shorten = (text: string, chars: number): string => {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > chars ? `${line.slice(0, chars - 1)}…` : line;
};
