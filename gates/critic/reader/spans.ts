/** A part of a text. */
export type Span = { start: number; end: number };

const FENCE = /^[ \t]*(```|~~~)[^\n]*\n[\s\S]*?(?:^[ \t]*\1[ \t]*$|$(?![\s\S]))/gm;

/** What is run or goes in, though quotation marks stand in it. */
const CODE: readonly RegExp[] = [
  FENCE,
  /`[^`\n]+`/g,
  // What stands between the quotes of a shell command is run.
  /(?:^|[\s`;&|])(?:sed|perl|awk|(?:ba|z)?sh -c|xargs|git|curl|python3? -c|node -e)\s-?[^\n`"']*["'][^\n`]*/g,
  // A quoted key or value of JSON is code that goes in.
  /"[\w:-]+":\s*"[^"\n]*"/g,
  // A commit message given on the command line is written by the speaker.
  /\s-a?m\s+(?:"[^"\n]*"|'[^'\n]*')/g,
];

const QUOTES: readonly RegExp[] = [
  /"[^"\n]{1,400}"/g,
  /[“„«][^”“»\n]{1,400}[”“»]/g,
  /(?<=^|[\s(:])'[^'\n]{2,400}'(?=$|[\s,.;:!?)])/gm,
];

const findAll = (text: string, expressions: readonly RegExp[]): Span[] =>
  expressions.flatMap((expression) =>
    [...text.matchAll(expression)].map(({ index, 0: { length } }) => ({ start: index, end: index + length })),
  );

/** The quotations of a text; what is code is none. */
export const findQuotes = (text: string): Span[] => {
  const code = findAll(text, CODE).sort((a, b) => a.start - b.start);
  // How far the code that began before a place reaches.
  const reach: number[] = [];
  for (const [i, { end }] of code.entries()) reach.push(Math.max(end, reach[i - 1] ?? 0));
  const isCode = (at: number): boolean => {
    const after = code.findIndex(({ start }) => start > at);
    return (reach[(after < 0 ? code.length : after) - 1] ?? 0) > at;
  };
  return findAll(text, QUOTES).filter(({ start }) => !isCode(start));
};
