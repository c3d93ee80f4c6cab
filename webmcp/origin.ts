/**
 * The origin a text names, as a URL parser writes it; undefined for everything that is more or less than one:
 * no text (a list of one text becomes one), blanks and control characters (a parser drops them), credentials,
 * a path, another scheme.
 */
export const readOrigin = (text: unknown, protocols: readonly string[]): string | undefined => {
  if (typeof text !== "string" || /[\s\p{Cc}]/u.test(text) || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  return protocols.includes(url.protocol) && url.href === `${url.origin}/` ? url.origin : undefined;
};
