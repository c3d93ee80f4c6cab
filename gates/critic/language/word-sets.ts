/**
 * Every set of words that a frame asks for has a number, and every word knows the sets it is in: a sentence
 * is looked up once, word by word, instead of set by set for each of some hundred frames.
 */
export type WordSets = {
  /** the number of a set of words; one that was not met before gets the next */
  numberOf: (words: readonly string[]) => number;
  count: () => number;
  /** each word, with the sets it is in as a text of marks */
  entries: () => Iterable<readonly [string, string]>;
};

// Two single-byte characters a set, so that a table of words can hold them.
const RANGE = 256;
const markOf = (number: number): string => String.fromCharCode(number % RANGE, Math.floor(number / RANGE));

export const createWordSets = (): WordSets => {
  const numbers = new Map<string, number>();
  const marks = new Map<string, string>();
  return {
    numberOf: (words) => {
      const key = [...new Set(words)].sort().join("|");
      const known = numbers.get(key);
      if (known !== undefined) return known;
      const number = numbers.size;
      numbers.set(key, number);
      for (const word of key.split("|")) marks.set(word, (marks.get(word) ?? "") + markOf(number));
      return number;
    },
    count: () => numbers.size,
    entries: () => marks,
  };
};

/** Which sets each word of a sentence is in: `holds[set * length + place]`, and `present[set]` for any of them. */
export type Looked = { length: number; holds: Uint8Array; present: Uint8Array };

export const lookUp = (
  words: readonly string[],
  { count, findMarks }: { count: number; findMarks: (word: string) => string | undefined },
): Looked => {
  const { length } = words;
  const holds = new Uint8Array(count * length);
  const present = new Uint8Array(count);
  for (let place = 0; place < length; place += 1) {
    const marks = findMarks(words[place] ?? "") ?? "";
    for (let i = 0; i < marks.length; i += 2) {
      const set = marks.charCodeAt(i) + marks.charCodeAt(i + 1) * RANGE;
      holds[set * length + place] = 1;
      present[set] = 1;
    }
  }
  return { length, holds, present };
};
