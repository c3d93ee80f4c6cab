import { listRequired, type Required } from "./required-words.ts";

/**
 * An expression over lines of lemmas. V8 takes longer to compile a long one than the critic has for a whole text,
 * and hardly any fits: it is asked only where the words are that it cannot do without.
 */
export type LineTest = { number: number; expression: () => RegExp };

const declared: LineTest[] = [];

/** Declares an expression. Only while modules are loaded: a build keeps what each requires, in this order. */
export const defineLineTest = (expression: () => RegExp): LineTest => {
  const test = { number: declared.length, expression };
  declared.push(test);
  return test;
};

export const listLineTests = (): readonly LineTest[] => declared;

const ALL = 0xffff;
const ANY = 0xfffe;
type NumberOf = (words: readonly string[]) => number;

const writeRequired = (required: Required, numberOf: NumberOf): number[] => {
  if ("words" in required) return [numberOf(required.words)];
  const [sign, parts] = "all" in required ? [ALL, required.all] : [ANY, required.any];
  return [sign, parts.length, ...parts.flatMap((part) => writeRequired(part, numberOf))];
};

/**
 * What every declared test requires, as numbers of two bytes: where each begins, and then a sign, how many parts it
 * has, and the parts; or the number of a word set.
 */
export const packLineTests = (numberOf: NumberOf): Uint8Array => {
  const written = declared.map(({ expression }) => writeRequired(listRequired(expression()), numberOf));
  let at = declared.length;
  const starts = written.map(({ length }) => (at += length) - length);
  return new Uint8Array(Uint16Array.from([...starts, ...written.flat()]).buffer);
};

/** Reads on from `at`; the end tells where the next part begins, whatever this one says. */
const read = (code: Uint16Array, at: number, present: Uint8Array): { holds: boolean; end: number } => {
  const sign = code[at] ?? 0;
  if (sign < ANY) return { holds: present[sign] === 1, end: at + 1 };
  const parts = code[at + 1] ?? 0;
  let end = at + 2;
  let count = 0;
  for (let part = 0; part < parts; part += 1) {
    const one = read(code, end, present);
    end = one.end;
    if (one.holds) count += 1;
  }
  return { holds: sign === ALL ? count === parts : count > 0, end };
};

/** Whether the words are there that the test requires. */
export const holdsRequired = (code: Uint16Array, { number }: LineTest, present: Uint8Array): boolean =>
  read(code, code[number] ?? 0, present).holds;
