import { parseJson } from "../core/parse-json.ts";
import { isJson, type Json } from "./json.ts";

/** One JSON record of a transcript. `line` counts from 1; glued records share it. */
export type JsonRecord = { value: Json; line: number; start: number; end: number };

export type JsonLines = {
  records: JsonRecord[];
  faults: string[];
  /** bytes up to the end of the last complete line */
  completeBytes: number;
};

const NEWLINE = 10;

/**
 * Two records on one line happen when two processes append at once: `{…}{…}`. Where one ends is told by its
 * brackets, in one pass: a torn line of tens of megabytes of code is full of places that only look like it.
 */
const splitGlued = (text: string): Json[] | undefined => {
  const found: Json[] = [];
  let from = 0;
  let depth = 0;
  let isText = false;
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at];
    if (isText) {
      if (char === "\\") at += 1;
      else if (char === '"') isText = false;
    } else if (char === '"') isText = true;
    else if (char === "{" || char === "[") depth += 1;
    else if (char === "}" || char === "]") {
      depth -= 1;
      if (depth > 0) continue;
      const value = parseJson(text.slice(from, at + 1));
      if (!isJson(value)) return undefined;
      found.push(value);
      from = at + 1;
    }
  }
  return found.length > 1 && text.slice(from).trim() === "" ? found : undefined;
};

/**
 * Every record of a JSON-lines transcript, through the faults real ones have: glued records, a torn last
 * line, lines that are no JSON.
 */
export const readJsonLines = (bytes: Buffer): JsonLines => {
  const records: JsonRecord[] = [];
  const faults: string[] = [];
  let completeBytes = 0;
  let line = 0;
  for (let start = 0; start < bytes.length;) {
    const newline = bytes.indexOf(NEWLINE, start);
    const end = newline === -1 ? bytes.length : newline;
    line += 1;
    const text = bytes.toString("utf8", start, end);
    const value = text.trim() === "" ? undefined : parseJson(text);
    if (isJson(value)) records.push({ value, line, start, end });
    else if (text.trim() !== "") {
      const glued = splitGlued(text);
      if (glued) {
        faults.push(`line ${line} holds ${glued.length} records glued together`);
        for (const value of glued) records.push({ value, line, start, end });
      } else faults.push(newline === -1 ? `the last line (${line}) is torn` : `line ${line} is not JSON`);
    }
    if (newline !== -1) completeBytes = newline + 1;
    else if (isJson(value)) completeBytes = bytes.length;
    start = end + 1;
  }
  return { records, faults, completeBytes };
};

/** Records as the lines of a transcript. */
export const toJsonLines = (values: readonly unknown[]): string =>
  values.map((value) => `${JSON.stringify(value)}\n`).join("");
