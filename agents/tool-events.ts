import type { TurnSignal } from "./event-stream.ts";
import { asJson, type Json, textAt } from "./json.ts";

export const toolStart = (id: string, name: string | undefined, input: Json): TurnSignal => ({
  type: "tool-start",
  id,
  name: name ?? "",
  summary: summarizeToolInput(input),
});

/** @param said what the tool or the agent wrote: of a failure it is the reason */
export const toolEnd = (id: string, isError: boolean, said: unknown): TurnSignal => ({
  type: "tool-end",
  id,
  isError,
  reason: isError ? summarizeToolProblem(said) : undefined,
});

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

const summarizeToolProblem = (said: unknown): string | undefined => {
  const text = Array.isArray(said) ? said.map((part) => textAt(asJson(part), "text") ?? "").join(" ") : said;
  return typeof text === "string" ? shorten(text, PROBLEM_CHARS) || undefined : undefined;
};

const shorten = (text: string, chars: number): string => {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > chars ? `${line.slice(0, chars - 1)}…` : line;
};
