// What a person cannot see in a description, a model still reads: control characters, zero-width and
// bidirectional marks, Unicode tags, private use, stray surrogates, blank-looking letters and the variation
// selectors that can carry bytes. The two selectors that emoji need (FE0E, FE0F) are fine one at a time.
const INVISIBLE = new RegExp(
  [
    "[\\p{Cf}\\p{Cs}\\p{Co}\\p{Zl}\\p{Zp}]",
    "[\\u115F\\u1160\\u2800\\u3164\\uFFA0]",
    "\\u034F|\\u17B4|\\u17B5|[\\u180B-\\u180F]|[\\uFE00-\\uFE0D]|[\\u{E0100}-\\u{E01EF}]",
    "[\\uFE0E\\uFE0F]{2}",
    "[^\\P{Cc}\\t\\n\\r]",
  ].join("|"),
  "u",
);

/** Most texts are plain; one pass of a simple class tells. */
const PLAIN = /^[\t\n\r -~]*$/;

/** The first hidden character of a text that a model will read, as `U+200B`, if there is one. */
export const findHiddenCharacter = (text: string): string | undefined => {
  if (PLAIN.test(text)) return undefined;
  const found = INVISIBLE.exec(text)?.[0].codePointAt(0);
  return found === undefined ? undefined : `U+${found.toString(16).toUpperCase().padStart(4, "0")}`;
};
