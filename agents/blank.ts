import { findSecrets } from "../core/redaction.ts";
import { asJson, isJson, type Json } from "./json.ts";

/** What stands where purged text was. */
export const PURGED_TEXT = "[purged]";

/** What purged messages may have left elsewhere in their file. */
export type Traces = {
  /** replaced wherever they stand: long texts, and whatever is shaped like a secret */
  pieces: readonly string[];
  /** replaced in records that no model is sent, where they are all of a text */
  whole: ReadonlySet<string>;
};

const LONG_CHARS = 24;
const SHORTEST_WHOLE = 4;

const strings = (value: unknown): string[] => {
  if (typeof value === "string") return [value];
  if (Array.isArray(value)) return value.flatMap(strings);
  return isJson(value) ? Object.values(value).flatMap(strings) : [];
};

/**
 * What to hunt for elsewhere in a file. Short texts and bare paths are hunted for only as wholes, or half of
 * every transcript would go with them.
 */
export const tracesOf = (contents: readonly unknown[]): Traces => {
  const texts = contents.flatMap(strings);
  const long = texts.filter((text) => text.length >= LONG_CHARS && /\s/.test(text));
  const pieces = [...new Set([...long, ...texts.flatMap(findSecrets)])];
  return {
    // The longest first: a part of a text must not be taken out of it before the whole is looked for.
    pieces: pieces.sort((a, b) => b.length - a.length),
    whole: new Set(texts.map((text) => text.trim()).filter((text) => text.length >= SHORTEST_WHOLE)),
  };
};

/** Keys under which agents keep copies of what was said, for the eyes of people. */
const SHOWN_KEYS = new Set(
  "text Text message content output stdout stderr aggregated_output formatted_output last_agent_message lastPrompt display prompt summary title customTitle aiTitle command cmd query input".split(
    " ",
  ),
);

const withoutPieces = (text: string, { pieces }: Traces): string => {
  let clean = text;
  for (const piece of pieces) clean = clean.replaceAll(piece, PURGED_TEXT);
  return clean;
};

const mapTexts = (value: unknown, change: (text: string, key: string) => string, key = ""): unknown => {
  if (typeof value === "string") return change(value, key);
  if (Array.isArray(value)) return value.map((inner) => mapTexts(inner, change, key));
  if (!isJson(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, mapTexts(inner, change, name)]),
  );
};

/** A message that stays, with every piece of what goes replaced. A short one that says the same stays as it is. */
export const blankCopies = (value: unknown, traces: Traces): unknown =>
  mapTexts(value, (text) => withoutPieces(text, traces));

/** A record for the eyes of people, with every copy of what goes replaced. */
export const blankShown = (value: unknown, traces: Traces): unknown =>
  mapTexts(value, (text, key) =>
    SHOWN_KEYS.has(key) && traces.whole.has(text.trim()) ? PURGED_TEXT : withoutPieces(text, traces),
  );

/** One of the two, by what the record is. */
export const blankRecord = (record: Json, traces: Traces, isMessage: boolean): Json =>
  asJson((isMessage ? blankCopies : blankShown)(record, traces));

const KEPT_KEYS = new Set(["type", "role", "id", "call_id", "name", "status", "timestamp", "ordinal"]);

/** A value with its shape kept and every text in it gone. */
export const blankAll = (value: unknown): unknown => {
  if (typeof value === "string") return PURGED_TEXT;
  if (Array.isArray(value)) return value.map(blankAll);
  if (!isJson(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, KEPT_KEYS.has(key) ? inner : blankAll(inner)]),
  );
};
