import { createHash } from "node:crypto";
import { AppError } from "../../../core/errors.ts";
import { redactSecrets } from "../../../core/redaction.ts";
import { visibleText } from "../../../core/visible-text.ts";

const LONE_SURROGATE = /\p{Cs}/gu;
const LINE_ENDS = /\r\n?|[\u2028\u2029]/g;

/**
 * A text as it may be stored: well-formed, without invisible and control characters (line breaks and tabs
 * stay, and emoji and scripts that need a joiner keep it), without secrets. Runs before anything is hashed,
 * indexed or logged.
 */
export const cleanText = (text: string): string =>
  redactSecrets(visibleText(text.replace(LONE_SURROGATE, "\ufffd").replace(LINE_ENDS, "\n"))).trim();

const MAX_DEPTH = 64;

/**
 * Every string inside a JSON value, cleaned; keys too.
 * @throws AppError `bad-data` for one that is nested deeper than 64 levels
 */
export const cleanJson = (value: unknown, depth = 0): unknown => {
  if (typeof value === "string") return cleanText(value);
  if (value === null || typeof value !== "object") return value;
  if (depth === MAX_DEPTH) {
    const message = `is nested deeper than ${MAX_DEPTH} levels`;
    throw new AppError("bad-data", `The document ${message}; make it flatter`, {
      faults: [{ path: "/body", message }],
    });
  }
  if (Array.isArray(value)) return value.map((inner) => cleanJson(inner, depth + 1));
  const entries = Object.entries(value).map(([key, inner]) => [cleanText(key), cleanJson(inner, depth + 1)]);
  return Object.fromEntries(entries) as unknown;
};

/**
 * What two writes have in common when they say the same: equal but for case, spacing and final
 * punctuation. Anything else, a digit for instance, makes them two learnings.
 */
export const mergeKeyOf = (parts: {
  scope: string;
  project?: string | undefined;
  type: string;
  trigger: string;
  learning: string;
  marker?: string | undefined;
  ephemeral: boolean;
}): string =>
  createHash("sha256")
    .update(
      JSON.stringify([
        parts.scope,
        parts.project ?? null,
        parts.type,
        normalize(parts.trigger),
        normalize(parts.learning),
        parts.marker ?? null,
        parts.ephemeral,
      ]),
    )
    .digest("base64url");

const normalize = (text: string): string =>
  text
    .normalize("NFKC")
    .toLowerCase()
    .replace(/\s+/g, " ")
    .replace(/[\s.!,;:]+$/, "")
    .trim();
