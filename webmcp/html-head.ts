/**
 * Where a script goes into an HTML text so that every browser takes it into the head before anything else: after
 * the head's start tag, else after the html tag, else after the doctype. Follows the tokenizer of the HTML standard as
 * far as the first three tags need it; comments and quoted attributes cannot mislead it.
 */
export const findHeadStart = (html: string): number => {
  let at = skipMisc(html, /^\uFEFF*/.exec(html)?.[0].length ?? 0);
  for (const tag of ["html", "head"]) {
    const end = skipTag(html, at, tag);
    if (end === undefined) continue;
    at = tag === "head" ? end : skipMisc(html, end);
    if (tag === "html" && skipTag(html, at, "head") === undefined) return at;
  }
  return at;
};

/** White space, comments, the doctype and processing instructions (which HTML reads as comments). */
const skipMisc = (html: string, start: number): number => {
  let at = start;
  for (;;) {
    const rest = html.slice(at);
    const blank = /^[\t\n\f\r ]+/.exec(rest)?.[0].length;
    const next =
      blank !== undefined
        ? at + blank
        : rest.startsWith("<!--")
          ? endOfComment(html, at)
          : /^<[!?]/.test(rest)
            ? endOf(html, ">", at)
            : undefined;
    if (next === undefined) return at;
    at = next;
  }
};

const endOfComment = (html: string, at: number): number => {
  const abrupt = /^<!--(?:>|->)/.exec(html.slice(at, at + 6));
  if (abrupt) return at + abrupt[0].length;
  const end = /--!?>/g;
  end.lastIndex = at + 4;
  return end.exec(html) === null ? html.length : end.lastIndex;
};

const endOf = (html: string, text: string, from: number): number => {
  const found = html.indexOf(text, from);
  return found === -1 ? html.length : found + text.length;
};

/** The end of that start tag when it begins here; a `>` inside a quoted attribute value does not end it. */
const skipTag = (html: string, start: number, name: string): number | undefined => {
  const opening = html.slice(start, start + name.length + 2);
  if (!new RegExp(`^<${name}[\\s/>]`, "i").test(opening)) return undefined;
  let afterEquals = false;
  for (let at = start + name.length + 1; at < html.length; at += 1) {
    const character = html[at] ?? "";
    if (character === ">") return at + 1;
    if (afterEquals && (character === '"' || character === "'")) at = endOf(html, character, at + 1) - 1;
    if (!/\s/.test(character)) afterEquals = character === "=";
  }
  return undefined;
};
