const NEWLINE = 10;
const TAB = 9;

// By hand: this runs on every line a command prints, and a first regular expression costs more than a few of them.
const isUnseen = (code: number): boolean =>
  (code < 32 && code !== NEWLINE && code !== TAB) ||
  (code >= 0x7f && code <= 0x9f) || // C1: terminals obey some of them
  (code >= 0x202a && code <= 0x202e) || // direction of writing: text is shown in another order than it has
  (code >= 0x2066 && code <= 0x2069) ||
  code === 0xdb40; // first half of tags (U+E0000 and on): letters nobody sees

/** From here on the expression costs less. */
const LONG = 256;

/** Whether a text holds characters that are not seen but change what is, on a terminal or in a prompt. */
export const hasUnseen = (text: string): boolean => {
  if (text.length > LONG)
    return /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u202A-\u202E\u2066-\u2069\uDB40]/.test(text);
  for (let at = 0; at < text.length; at += 1) if (isUnseen(text.charCodeAt(at))) return true;
  return false;
};

/** A text without control codes, changes of direction and tags. Tabs and new lines stay. */
export const visibleText = (text: string): string =>
  hasUnseen(text)
    ? text.replaceAll(
        /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u202A-\u202E\u2066-\u2069]|[\u{E0000}-\u{E007F}]/gu,
        "",
      )
    : text;
