/** A text of at most so many characters, with a mark where something is missing. */
export const cut = (text: string, most: number): string =>
  text.length > most ? `${text.slice(0, most - 1).replace(/[\uD800-\uDBFF]$/, "")}…` : text;

/** The same in bytes of UTF-8. */
export const cutBytes = (text: string, most: number): string => {
  let short = text;
  while (Buffer.byteLength(short) > most) short = cut(short, Math.max(2, Math.floor(short.length * 0.9)));
  return short;
};
