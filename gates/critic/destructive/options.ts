import type { Call } from "./call.ts";

/** A set of names that stand in one text. */
export const named = (names: string): ReadonlySet<string> => new Set(names.split(" "));

/** What a program is told: its options by name, and the words that are none. */
export type Told = { options: ReadonlySet<string>; operands: readonly string[] };

/**
 * Options and operands. Short options are taken apart (`-rf` is `-r` and `-f`), long ones lose their value. Those in
 * `withValue` take the next word along.
 */
export const readTold = (
  words: readonly string[],
  { withValue = [] }: { withValue?: readonly string[] } = {},
): Told => {
  const options = new Set<string>();
  const operands: string[] = [];
  for (let i = 0; i < words.length; i++) {
    const word = words[i] ?? "";
    if (word === "--") {
      operands.push(...words.slice(i + 1));
      break;
    }
    if (!word.startsWith("-") || word === "-") operands.push(word);
    else {
      const name = word.startsWith("--") ? word.replace(/=.*/s, "") : word;
      options.add(name);
      if (!word.startsWith("--")) for (const letter of word.slice(1)) options.add(`-${letter}`);
      if (withValue.includes(name) && !word.includes("=")) i += 1;
    }
  }
  return { options, operands };
};

const DRY = ["--dry-run", "--dryrun", "--just-print", "--what-if", "--whatif", "--help", "--noop"];

/** Whether a call only says what it would do. */
export const isDry = ({ words }: Call): boolean => {
  const before = words.includes("--") ? words.slice(0, words.indexOf("--")) : words;
  if (before.at(-1) === "--version") return true;
  return before.some((word) => {
    const [name = "", value = ""] = word.split("=");
    return DRY.includes(name.toLowerCase()) && !["none", "false", "0", "no"].includes(value);
  });
};

/** Whether one of the options is there, short ones also in a bundle. */
export const hasAny = ({ options }: Told, ...names: string[]): boolean =>
  names.some((name) => options.has(name));
