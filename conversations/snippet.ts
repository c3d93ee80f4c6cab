const BEFORE = 60;
const AFTER = 120;

/** The surroundings of a hit on one line, with an ellipsis where text is left out. */
export const snippetAround = (
  text: string,
  index: number,
  length: number,
  { before = BEFORE, after = AFTER }: { before?: number; after?: number } = {},
): string => {
  const from = Math.max(0, index - before);
  const to = Math.min(text.length, index + length + after);
  const line = text
    .slice(from, to)
    .replaceAll(/[\s\u0000-\u001F\u007F]+/g, " ")
    .trim();
  return `${from > 0 ? "…" : ""}${line}${to < text.length ? "…" : ""}`;
};

/** The surroundings of a hit as they stand, lines kept. */
export const passageAround = (
  text: string,
  index: number,
  length: number,
  { before, after }: { before: number; after: number },
): string => {
  const from = Math.max(0, index - before);
  const to = Math.min(text.length, index + length + after);
  return `${from > 0 ? "…" : ""}${text.slice(from, to).trim()}${to < text.length ? "…" : ""}`;
};
