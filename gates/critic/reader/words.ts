import { conceptsOf, listPhrases, stemOf } from "./concepts.ts";
import { findMarks } from "./marks.ts";
import type { Span } from "./spans.ts";

/** One word of a sentence: its stem, what it means, and where it stands in the text. */
export type Word = {
  stem: string;
  /** what its stem lacks of it: "added" and "adding" tell of something else than "add" */
  ending: string;
  /** the closest first; none for a word that says nothing to the critic */
  concepts: readonly string[];
  start: number;
  end: number;
  /** inside quotation marks: somebody's words, a title, a string of the program */
  quoted: boolean;
};

const CONTRACTIONS: Record<string, string> = {
  "won't": "will not",
  wont: "will not",
  cannot: "can not",
  "can't": "can not",
  cant: "can not",
  "shan't": "shall not",
  "ain't": "be not",
  lets: "let us",
  im: "i be",
  ive: "i have",
  gonna: "go to",
  gotta: "have to",
  lemme: "let me",
  "w/o": "without",
  followup: "follow-up",
  followups: "follow-up",
};
const LOST_APOSTROPHE = /^(do|does|did|is|was|are|have|has|should|would|could|need)nt$/;
const ENDINGS: readonly (readonly [RegExp, string])[] = [
  [/n't$/, " not"],
  [/'ll$/, " will"],
  [/'re$|'m$/, " be"],
  [/'ve$/, " have"],
  [/'d$/, " would"],
  [/'s$/, ""],
];

const spell = (word: string): string => {
  const known = CONTRACTIONS[word];
  if (known !== undefined && Object.hasOwn(CONTRACTIONS, word)) return known;
  if (LOST_APOSTROPHE.test(word)) return `${word.slice(0, -2)} not`;
  if (!word.includes("'")) return word;
  for (const [ending, full] of ENDINGS) if (ending.test(word)) return word.replace(ending, full);
  return word;
};

const TYPOS: Record<string, string> = Object.fromEntries(
  "tset=test tets=test tetss=tests tesst=tests tsets=tests tetst=test skpi=skip sikp=skip skiping=skip wirte=write wrtie=write wriet=write wrok=work shoud=should shuold=should shold=should wihtout=without witout=without withot=without creat=create seperate=separate serivce=service repositroy=repository"
    .split(" ")
    .map((pair) => pair.split("=") as [string, string]),
);

const TOKEN =
  /(?<![^\s(`'"])--?[a-z][\w-]*|[\p{L}\p{N}_@#](?:[\p{L}\p{N}_'/@.#-]*[\p{L}\p{N}_])?|[-=]>|[,;:()>!?…—–&+.]/gu;
const isMark = (text: string): boolean => !/[\p{L}\p{N}_]/u.test(text);
const isNumber = (text: string): boolean => /^#?\d[\d.]*$/.test(text);

const readStem = (word: string): string => {
  if (isMark(word)) return word === "," ? "," : word === "->" || word === "=>" || word === ">" ? ">" : ".";
  if (isNumber(word)) return "0";
  return stemOf(Object.hasOwn(TYPOS, word) ? (TYPOS[word] ?? word) : word);
};

const PARTICLE_WORDS = 7;
const CLAUSE_END = new Set([
  ",",
  ".",
  ">",
  "and",
  "but",
  "so",
  "then",
  "because",
  "when",
  "if",
  "und",
  "aber",
]);

/** Joins the words of a phrase: those side by side, and the last of two further back in the same clause. */
const joinPhrases = (words: readonly Word[]): Word[] => {
  const joined: Word[] = [];
  const taken = new Set<number>();
  for (const [at, word] of words.entries()) {
    if (taken.has(at)) continue;
    let whole = word;
    for (const { rest, joined: stem } of listPhrases(word.stem)) {
      const places = findRest(words, at, rest);
      if (!places) continue;
      for (const place of places) taken.add(place);
      const end = places.every((place, i) => place === at + 1 + i)
        ? words[places.at(-1) ?? at]?.end
        : word.end;
      whole = { ...word, stem, concepts: conceptsOf(stem), end: end ?? word.end };
      break;
    }
    joined.push(whole);
  }
  return joined;
};

const findRest = (words: readonly Word[], at: number, rest: readonly string[]): number[] | undefined => {
  if (rest.every((stem, i) => words[at + 1 + i]?.stem === stem)) return rest.map((_, i) => at + 1 + i);
  if (rest.length > 1) return undefined;
  for (let i = at + 1; i < Math.min(words.length, at + PARTICLE_WORDS); i += 1) {
    if (CLAUSE_END.has(words[i]?.stem ?? "")) return undefined;
    if (words[i]?.stem === rest[0]) return words[i + 1]?.stem === "of" ? undefined : [i];
  }
  return undefined;
};

/** The words of a part of a text; `quotes` are the places where it quotes. */
export const readWords = (text: string, { start, end }: Span, quotes: readonly Span[]): Word[] => {
  const piece = text.slice(start, end).replaceAll("’", "'");
  const words: Word[] = [];
  const place = (from: number, to: number) => ({
    start: start + from,
    end: start + to,
    quoted: quotes.some((quote) => start + from >= quote.start && start + from < quote.end),
  });
  const addPlain = (from: number, to: number): void => {
    for (const found of piece.slice(from, to).matchAll(TOKEN)) {
      const at = from + found.index;
      for (const part of spell(found[0].toLowerCase()).split(" ")) {
        const stem = readStem(part);
        words.push({
          stem,
          ending: /(?:ed|ing)$/.exec(part)?.[0] ?? "",
          concepts: conceptsOf(stem),
          ...place(at, at + found[0].length),
        });
      }
    }
  };
  let from = 0;
  for (const { mark, start: markStart, end: markEnd } of findMarks(piece)) {
    addPlain(from, markStart);
    const own = conceptsOf(mark);
    words.push({
      stem: mark,
      ending: "",
      concepts: own.length > 0 ? own : [mark],
      ...place(markStart, markEnd),
    });
    from = markEnd;
  }
  addPlain(from, piece.length);
  return joinPhrases(words);
};

export const isClauseMark = ({ stem }: Word): boolean => stem === "," || stem === "." || stem === ">";
