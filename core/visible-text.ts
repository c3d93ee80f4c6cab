/**
 * What nobody sees and yet is there: control codes (some of which terminals obey), changes of the direction of
 * writing, joiners, fillers and blanks, tags and variation selectors (each of which can carry a hidden byte),
 * halves of pairs, and characters for private use. Tabs and new lines are seen.
 */
const UNSEEN = String.raw`[^\P{Cc}\t\n]|[\p{Default_Ignorable_Code_Point}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\u2800]`;

/** Signs that are format characters by name only: they are drawn. */
const DRAWN = String.raw`[\u0600-\u0605\u06DD\u070F\u0890\u0891\u08E2\u{110BD}\u{110CD}]`;

const EMOJI = String.raw`\p{Extended_Pictographic}(?:\uFE0F|\uFE0E|\p{Emoji_Modifier})?`;

// Three flags are written with tags; any other text in tags is hidden text.
const FLAGS = ["gbeng", "gbsct", "gbwls"]
  .map((name) => Array.from(name, (letter) => `\\u{E00${letter.charCodeAt(0).toString(16)}}`).join(""))
  .map((tags) => `\\u{1F3F4}${tags}\\u{E007F}`)
  .join("|");

/** Scripts whose letters take another shape beside a joiner or a non-joiner. */
const JOINING = [
  "Arabic",
  "Bengali",
  "Devanagari",
  "Gujarati",
  "Gurmukhi",
  "Kannada",
  "Khmer",
  "Malayalam",
  "Mongolian",
  "Myanmar",
  "Nko",
  "Oriya",
  "Sinhala",
  "Syriac",
  "Tamil",
  "Telugu",
]
  .map((script) => `\\p{Script=${script}}`)
  .join("");

/** Sequences that need what is not seen: emoji, keycaps, letters of joining scripts, forms of Mongolian ones. */
const NEEDED = [
  DRAWN,
  FLAGS,
  String.raw`${EMOJI}(?:\u200D${EMOJI})*`,
  String.raw`[0-9#*]\uFE0F\u20E3`,
  String.raw`(?<=[${JOINING}])[\u200C\u200D](?=[${JOINING}]|[\s\p{P}]|$)`,
  String.raw`(?<=\p{Script=Mongolian})[\u180B-\u180F]`,
].join("|");

const SEQUENCES = new RegExp(`(${NEEDED})|${UNSEEN}`, "gu");
const PLAIN = /^[\t\n\u0020-\u007E]*$/;

/** A text with each character that is not seen replaced; sequences that need such characters stay whole. */
export const replaceUnseen = (text: string, replace: (unseen: string) => string): string =>
  PLAIN.test(text)
    ? text
    : text.replace(SEQUENCES, (found: string, needed: string | undefined) => needed ?? replace(found));

/** A text without what is not seen. */
export const visibleText = (text: string): string => replaceUnseen(text, () => "");

/** Whether a text holds characters that are not seen but change what is, on a terminal or in a prompt. */
export const hasUnseen = (text: string): boolean => visibleText(text) !== text;
