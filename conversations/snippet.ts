const BEFORE = 60;
const AFTER = 120;

const isSecondHalf = (code: number): boolean => code >= 0xdc00 && code <= 0xdfff;

/** A piece of a text that begins and ends between letters, not within an emoji. */
export const cutBetween = (text: string, from: number, to: number): string =>
  text.slice(
    isSecondHalf(text.charCodeAt(from)) ? from + 1 : from,
    isSecondHalf(text.charCodeAt(to)) ? to - 1 : to,
  );

/** The surroundings of a hit on one line, with an ellipsis where text is left out. */
export const snippetAround = (text: string, index: number, length: number): string => {
  const from = Math.max(0, index - BEFORE);
  const to = Math.min(text.length, index + length + AFTER);
  const line = cutBetween(text, from, to)
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
  return `${from > 0 ? "…" : ""}${cutBetween(text, from, to).trim()}${to < text.length ? "…" : ""}`;
};
