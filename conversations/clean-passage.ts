import { redactSecrets } from "../core/redaction.ts";
import { passageAround } from "./snippet.ts";

const PASSAGE = { before: 300, after: 500 };
/** More than the longest secret (a private key): what is cut here cannot begin or end within the passage. */
const MARGIN_CHARS = 40_000;

/**
 * The surroundings of a hit without secrets. They are taken out before anything is cut: half of a key is
 * shaped like none, and would stay.
 */
export const cleanPassage = (text: string, { index, length }: { index: number; length: number }): string => {
  const start = Math.max(0, index - MARGIN_CHARS);
  const around = text.slice(start, index + length + MARGIN_CHARS);
  const clean = redactSecrets(around);
  const at = index - start;
  if (clean === around) return passageAround(text, index, length, PASSAGE);
  const moved = clean.indexOf(
    text.slice(index, index + length),
    Math.max(0, at - Math.max(0, around.length - clean.length)),
  );
  // Not found: the hit was within a secret. Its placeholder stands about there.
  const passage =
    moved === -1
      ? passageAround(clean, Math.min(at, clean.length), 0, PASSAGE)
      : passageAround(clean, moved, length, PASSAGE);
  return passage;
};

/** The beginning of a note without secrets. */
export const cleanNote = (text: string, maxChars: number): string =>
  redactSecrets(text.slice(0, maxChars + MARGIN_CHARS)).slice(0, maxChars);
