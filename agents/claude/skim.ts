import type { Skim } from "../jsonl.ts";
import { isJson, parseJson } from "../loose-json.ts";

/**
 * What a tool gave for the eyes of a person: half of a transcript's bytes, and never sent. A quote behind a comma
 * is none within a text, where it would have a backslash: this is a key wherever it is found.
 */
const COPY = Buffer.from(',"toolUseResult":');
/** What follows it, as the end of a line. */
const END = /,"sourceToolAssistantUUID":"[\w-]+"\}\r?$/;
const END_BYTES = 120;
const GLUE = Buffer.from('}{"');

/** What decides where a line belongs: where one of them is missing, it may come behind the copy. */
const NEEDED = ["parentUuid", "isSidechain", "cwd", "type", "message", "uuid", "timestamp"];

/** Reads lines of a transcript without the copies of tool results, where nothing else comes behind them. */
export const skimmer = (bytes: Buffer): Skim => {
  let copy = -1;
  return (start, end) => {
    if (copy < start) {
      copy = bytes.indexOf(COPY, start);
      if (copy === -1) copy = bytes.length;
    }
    if (copy >= end) return undefined;
    if (!END.test(bytes.toString("latin1", Math.max(copy, end - END_BYTES), end))) return undefined;
    if (bytes.subarray(copy, end).includes(GLUE)) return undefined;
    // Whole only where the copy is the line's own, and not of something within it.
    const value = parseJson(`${bytes.toString("utf8", start, copy)}}`);
    return isJson(value) && NEEDED.every((key) => key in value) ? value : undefined;
  };
};
