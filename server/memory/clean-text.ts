import { createHash } from "node:crypto";
import { AppError } from "../../core/errors.ts";
import { redactSecrets } from "../../core/redaction.ts";

// Bidirectional and invisible characters make a text read differently from what it says; controls forge structure.
const INVISIBLE =
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|\u{e0000}|[\u{e0001}-\u{e007f}]/gu;

const LONE_SURROGATE = /\p{Cs}/gu;

/**
 * A text as it may be stored: well-formed, without invisible and control characters (line breaks and tabs
 * stay), without secrets. Runs before anything is hashed, indexed or logged.
 */
export const cleanText = (text: string): string =>
  redactSecrets(text.replace(LONE_SURROGATE, "\ufffd").replace(/\r\n?/g, "\n").replace(INVISIBLE, "")).trim();

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
