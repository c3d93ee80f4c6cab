import { membersOf } from "./lexicon.ts";
import type { Sentence } from "./sentences.ts";

/** Where a frame fits a sentence: the first and last word of the match. */
export type Fit = { from: number; to: number };

type Node =
  | { kind: "word"; words: ReadonlySet<string>; shape?: RegExp }
  | { kind: "gap"; most: number; style: "~" | "*" | "^" }
  | { kind: "group"; alternatives: Node[][]; least: number; most: number };

type Compiled = { nodes: Node[]; required: ReadonlySet<string>[] };

const PUNCTUATION = new Set(",;:().!?>".split(""));
const ENDS_NOUN_PHRASE = new Set(
  "in from for at to into with on by because so that which then but if when while as is be until after before without inside within under beside outside behind between against via through of not never no nor".split(
    " ",
  ),
);
const PARTITIVES = new Set(
  "all any some most part half rest many none bunch couple set number out kind lot".split(" "),
);

const classes = new Map<string, ReadonlySet<string>>();
const classOf = (name: string): ReadonlySet<string> => {
  let words = classes.get(name);
  if (!words) classes.set(name, (words = new Set(membersOf(name).split("|"))));
  return words;
};

const REPEATS = 6;
const ENDS_WORD = / |\||\)|$/g;
/** `(a|b|c)`: nothing but words. */
const PLAIN_GROUP = /\(([^ ()<?*~^\\]+)\)/y;
const IS_GAP = /^[~*^]\d+$/;

const repeated = (inner: Node[][], suffix: string): Node => {
  const words = inner.map(([node]) => node);
  const isPlain = inner.every((nodes) => nodes.length === 1 && nodes[0]?.kind === "word" && !nodes[0].shape);
  const merged: Node[][] = isPlain
    ? [
        [
          {
            kind: "word",
            words: new Set(words.flatMap((node) => (node?.kind === "word" ? [...node.words] : []))),
          },
        ],
      ]
    : inner;
  const [only] = merged;
  if (suffix === "" && isPlain && only?.[0]) return only[0];
  return {
    kind: "group",
    alternatives: merged,
    least: suffix === "" ? 1 : 0,
    most: suffix === "*" ? REPEATS : 1,
  };
};

/** One pass over a pattern; it runs for every frame at start-up, so nothing is cut apart twice. */
class FrameParser {
  readonly #pattern: string;
  #at = 0;

  constructor(pattern: string) {
    this.#pattern = pattern;
  }

  sequence(): Node[] {
    const nodes: Node[] = [];
    for (;;) {
      while (this.#pattern[this.#at] === " ") this.#at += 1;
      const char = this.#pattern[this.#at];
      if (char === undefined || char === "|" || char === ")") return nodes;
      nodes.push(char === "(" ? this.#group() : this.#word());
    }
  }

  #group(): Node {
    PLAIN_GROUP.lastIndex = this.#at;
    const plain = PLAIN_GROUP.exec(this.#pattern)?.[1];
    if (plain !== undefined) {
      this.#at += plain.length + 2;
      const node: Node = { kind: "word", words: new Set(plain.split("|")) };
      const suffix = this.#suffix();
      return suffix === ""
        ? node
        : { kind: "group", alternatives: [[node]], least: 0, most: suffix === "*" ? REPEATS : 1 };
    }
    const alternatives: Node[][] = [];
    do {
      this.#at += 1;
      alternatives.push(this.sequence());
    } while (this.#pattern[this.#at] === "|");
    this.#at += 1;
    return repeated(alternatives, this.#suffix());
  }

  #suffix(): string {
    const char = this.#pattern[this.#at];
    if (char !== "?" && char !== "*") return "";
    this.#at += 1;
    return char;
  }

  #word(): Node {
    ENDS_WORD.lastIndex = this.#at;
    const end = ENDS_WORD.exec(this.#pattern)?.index ?? this.#pattern.length;
    const part = this.#pattern.slice(this.#at, end);
    this.#at = end;
    if (IS_GAP.test(part))
      return { kind: "gap", most: Number(part.slice(1)), style: part[0] as "~" | "*" | "^" };
    const isOptional = part.length > 1 && part.endsWith("?");
    const word = isOptional ? part.slice(0, -1) : part;
    const node: Node = word.startsWith("<")
      ? { kind: "word", words: classOf(word.slice(1, -1)) }
      : word.includes("\\")
        ? { kind: "word", words: new Set(), shape: new RegExp(`^(?:${word})$`) }
        : { kind: "word", words: new Set([word]) };
    return isOptional ? { kind: "group", alternatives: [[node]], least: 0, most: 1 } : node;
  }
}

/** Parses a frame; `required` are word sets of which a sentence must hold one each to be worth a look. */
const parseFrame = (pattern: string): Compiled => {
  const nodes = new FrameParser(pattern).sequence();
  const required = nodes.flatMap((node) => (node.kind === "word" && !node.shape ? [node.words] : []));
  return { nodes, required };
};

type Then = (at: number) => number;

const takesNounWord = (words: readonly string[], at: number): number => {
  const word = words[at];
  if (word === undefined) return -1;
  const next = PARTITIVES.has(word) && words[at + 1] === "of" ? at + 2 : at;
  const noun = words[next];
  return noun === undefined || PUNCTUATION.has(noun) || ENDS_NOUN_PHRASE.has(noun) ? -1 : next + 1;
};

const stepOver = (words: readonly string[], at: number, style: "~" | "*" | "^"): number => {
  const word = words[at];
  if (word === undefined) return -1;
  if (style === "^") return takesNounWord(words, at);
  return style === "~" && PUNCTUATION.has(word) ? -1 : at + 1;
};

/** The end of the longest way to get over the gap from which the rest still fits. */
const matchGap = (words: readonly string[], at: number, node: Node & { kind: "gap" }, then: Then): number => {
  const stops = [at];
  let here = node.style === "^" && words[at] === "that" ? at + 1 : at;
  if (here !== at) stops.push(here);
  for (let taken = 0; taken < node.most; taken += 1) {
    here = stepOver(words, here, node.style);
    if (here < 0) break;
    stops.push(here);
  }
  for (let i = stops.length - 1; i >= 0; i -= 1) {
    const end = then(stops[i] ?? at);
    if (end >= 0) return end;
  }
  return -1;
};

const matchGroup = (
  words: readonly string[],
  at: number,
  node: Node & { kind: "group" },
  then: Then,
  taken = 0,
): number => {
  if (taken < node.most)
    for (const alternative of node.alternatives) {
      const end = matchNodes(words, at, alternative, 0, (next) =>
        next === at ? -1 : matchGroup(words, next, node, then, taken + 1),
      );
      if (end >= 0) return end;
    }
  return taken >= node.least ? then(at) : -1;
};

function matchNodes(
  words: readonly string[],
  at: number,
  nodes: readonly Node[],
  index: number,
  then: Then,
): number {
  const node = nodes[index];
  if (!node) return then(at);
  const rest: Then = (next) => matchNodes(words, next, nodes, index + 1, then);
  if (node.kind === "gap") return matchGap(words, at, node, rest);
  if (node.kind === "group") return matchGroup(words, at, node, rest);
  const word = words[at];
  if (word === undefined) return -1;
  return node.words.has(word) || node.shape?.test(word) ? rest(at + 1) : -1;
}

/**
 * The words that a fit begins with, when the first part of the pattern says so plainly. Most frames are
 * ruled out by it, and never parsed: start-up is most of the critic's time.
 */
const readFirst = (pattern: string): ReadonlySet<string> | undefined => {
  if (pattern.startsWith("(")) {
    PLAIN_GROUP.lastIndex = 0;
    const plain = PLAIN_GROUP.exec(pattern)?.[1];
    return plain === undefined || /^[?*]/.test(pattern.slice(plain.length + 2))
      ? undefined
      : new Set(plain.split("|"));
  }
  const first = pattern.split(" ", 1)[0] ?? "";
  if (/^<[\w-]+>$/.test(first)) return classOf(first.slice(1, -1));
  return /^[\w-]+$/.test(first) ? new Set([first]) : undefined;
};

const firsts = new Map<string, ReadonlySet<string> | undefined>();
const cache = new Map<string, Compiled>();
const wordsOf = new WeakMap<Sentence, string[]>();

/**
 * Every place where the frame fits, from left to right. Parts of a frame, blank-separated: a word,
 * `(a|b c)` alternatives, `<class>` of the lexicon, a group or word with `?` or `*`, `~n` up to n words
 * without punctuation, `*n` up to n of anything, `^n` up to n words of a noun phrase.
 */
export const findFits = (sentence: Sentence, pattern: string): Fit[] => {
  let words = wordsOf.get(sentence);
  if (!words) wordsOf.set(sentence, (words = sentence.words.map(({ lemma }) => lemma)));
  const present = words;
  if (!firsts.has(pattern)) firsts.set(pattern, readFirst(pattern));
  const first = firsts.get(pattern);
  if (first && !present.some((word) => first.has(word))) return [];
  let frame = cache.get(pattern);
  if (!frame) cache.set(pattern, (frame = parseFrame(pattern)));
  if (frame.required.some((set) => !present.some((word) => set.has(word)))) return [];
  const fits: Fit[] = [];
  for (let from = 0; from < words.length; from += 1) {
    const end = matchNodes(words, from, frame.nodes, 0, (at) => at);
    if (end <= from) continue;
    fits.push({ from, to: end - 1 });
    from = end - 1;
  }
  return fits;
};
