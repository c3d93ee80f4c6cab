import { parseJson } from "../core/parse-json.ts";

/** Reading JSON that others wrote: nothing about its shape is taken for granted, agents change it between versions. */
export type Json = Record<string, unknown>;

export const isJson = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

// The same empty ones each time: a transcript asks for what is not there a hundred thousand times.
const NOTHING: Json = Object.freeze({});
const NONE: readonly unknown[] = Object.freeze([]);

export const asJson = (value: unknown): Json => (isJson(value) ? value : NOTHING);
export const asList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : NONE);
export const asText = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);
export const asNumber = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isFinite(value) ? value : undefined;

/** Milliseconds of an ISO date or of a number of seconds or milliseconds. */
export const asTime = (value: unknown): number | undefined => {
  if (typeof value === "number") return value > 1e11 ? value : value * 1000;
  if (typeof value !== "string") return undefined;
  const ms = Date.parse(value);
  return Number.isNaN(ms) ? undefined : ms;
};

/** Nothing that a person would read lies deeper; without an end, one absurd record would end the program. */
const DEEPEST = 100;

/** Any value as searchable text: strings as they are, the rest as JSON with its strings readable. */
export const asPlainText = (value: unknown, depth = 0): string => {
  if (depth > DEEPEST) return "…";
  if (typeof value === "string") return value;
  if (value === undefined || value === null) return "";
  if (Array.isArray(value))
    return value
      .map((inner) => asPlainText(inner, depth + 1))
      .filter(Boolean)
      .join("\n");
  if (isJson(value))
    return Object.entries(value)
      .map(([key, inner]) => `${key}: ${asPlainText(inner, depth + 1)}`)
      .join("\n");
  return JSON.stringify(value);
};

/** The texts of a message's content, one a line: what most agents and vendors keep as a list of blocks, or as a text. */
export const contentText = (content: unknown, key = "text"): string =>
  typeof content === "string"
    ? content
    : asList(content)
        .map((block) => asText(block) ?? asText(asJson(block)[key]) ?? "")
        .join("\n");

export const parseObject = (line: string): Json | undefined => {
  const value = parseJson(line);
  return isJson(value) ? value : undefined;
};

/** The object at a path; an empty one where there is none. */
export const objectAt = (from: Json, ...path: string[]): Json =>
  path.reduce((at, key) => asJson(at[key]), from);

export const listAt = (from: Json, key: string): Json[] => asList(from[key]).filter(isJson);
export const textAt = (from: Json, key: string): string | undefined => asText(from[key]);
export const numberAt = (from: Json, key: string): number | undefined => asNumber(from[key]);

/** The sum of token counts that may each be absent. */
export const sumAt = (from: Json, ...keys: string[]): number =>
  keys.reduce((sum, key) => sum + (numberAt(from, key) ?? 0), 0);
