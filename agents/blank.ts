import { isJson } from "./loose-json.ts";

/** What stands where purged text was. */
export const PURGED_TEXT = "[purged]";

const SHORTEST_SECRET = 24;

const strings = (value: unknown): string[] => {
  if (typeof value === "string") return [value];
  if (Array.isArray(value)) return value.flatMap(strings);
  return isJson(value) ? Object.values(value).flatMap(strings) : [];
};

/**
 * Texts worth hunting for elsewhere in a file: whole contents of purged messages. Short strings and bare
 * paths stay, or half of every transcript would go with them.
 */
export const purgedTexts = (contents: readonly unknown[]): string[] => [
  ...new Set(contents.flatMap(strings).filter((text) => text.length >= SHORTEST_SECRET && /\s/.test(text))),
];

/** A value with every copy of those texts replaced; the same object when it holds none. */
export const blankCopies = (value: unknown, texts: readonly string[]): unknown => {
  if (typeof value === "string") {
    let clean = value;
    for (const text of texts) clean = clean.replaceAll(text, PURGED_TEXT);
    return clean;
  }
  if (Array.isArray(value)) return value.map((inner) => blankCopies(inner, texts));
  if (!isJson(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, blankCopies(inner, texts)]));
};

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
