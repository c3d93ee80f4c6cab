import { defineTable } from "./kept-tables.ts";
import { findForm, findNounLemma, isNoTypo, listTypoTargets, type Tense } from "./lexicon.ts";
import { findMarkers } from "./markers.ts";
import { mergePhrases } from "./phrases.ts";
import { isMark, isSmallWord, listTokens } from "./tokens.ts";

/** One word of a sentence: what it means to a rule, and where it stands in the text. */
export type Word = {
  lemma: string;
  tense?: Tense;
  start: number;
  end: number;
  /** inside quotation marks: somebody's words, a title, a string of the program */
  quoted: boolean;
  /** inside backticks or a code block */
  code: boolean;
};

/** The words of a contraction, blank-separated. */
const findContraction = defineTable("contractions", () =>
  Object.entries({
    "won't": "will not",
    wont: "will not",
    "can't": "can not",
    cant: "can not",
    cannot: "can not",
    dont: "do not",
    doesnt: "do not",
    didnt: "do not",
    isnt: "be not",
    wasnt: "be not",
    arent: "be not",
    havent: "have not",
    hasnt: "have not",
    shouldnt: "should not",
    wouldnt: "would not",
    couldnt: "could not",
    neednt: "need not",
    "ain't": "be not",
    "let's": "let us",
    lets: "let us",
    im: "i be",
    ive: "i have",
    gonna: "going to",
    wanna: "want to",
    gotta: "have to",
    lemme: "let me",
    thats: "that be",
    theres: "there be",
  }),
);

const SUFFIXES: [RegExp, string[]][] = [
  [/^(.+)n't$/, ["not"]],
  [/^(.+)'ll$/, ["will"]],
  [/^(.+)'re$/, ["be"]],
  [/^(.+)'ve$/, ["have"]],
  [/^(.+)'m$/, ["be"]],
  [/^(it|that|there|he|she|what|who|here|this|which|suite|test|ci)'s$/, ["be"]],
  [/^(i|we|you|he|she|they|it|that|there)'d$/, ["would"]],
  [/^(.+)'s$/, []],
];

const split = (word: string): string[] => {
  const whole = findContraction(word);
  if (whole !== undefined) return whole.split(" ");
  if (!word.includes("'")) return [word];
  for (const [pattern, rest] of SUFFIXES) {
    const head = pattern.exec(word)?.[1];
    if (head !== undefined) return [head, ...rest];
  }
  return [word.replace(/^'+|'+$/g, "")];
};

const isOneSlipApart = (a: string, b: string): boolean => {
  if (a === b || Math.abs(a.length - b.length) > 1) return false;
  let i = 0;
  while (i < a.length && i < b.length && a[i] === b[i]) i += 1;
  const restA = a.slice(i);
  const restB = b.slice(i);
  return (
    restA.slice(1) === restB.slice(1) ||
    restA.slice(1) === restB ||
    restA === restB.slice(1) ||
    (restA[0] === restB[1] && restA[1] === restB[0] && restA.slice(2) === restB.slice(2))
  );
};

const findShortTypo = defineTable("short typos", () =>
  Object.entries({
    tset: "test",
    tets: "tests",
    tsets: "tests",
    tesst: "tests",
    tetss: "tests",
    skpi: "skip",
    sikp: "skip",
    skp: "skip",
    wirte: "write",
    wrtie: "write",
    wrok: "work",
    shoud: "should",
    shuold: "should",
    shold: "should",
    "w/o": "without",
    wo: "without",
    wihtout: "without",
    witout: "without",
    crate: "create",
    creat: "create",
    seperate: "separate",
    micro: "micro",
  }),
);

/** The word that was meant, when a mistyped one is a single slip from a word of the rules. */
const correct = (word: string): string => {
  const short = findShortTypo(word);
  if (short !== undefined) return short;
  if (word.length < 5 || isNoTypo(word) || !isSmallWord(word)) return word;
  return listTypoTargets(word[0] ?? "").find((target) => isOneSlipApart(word, target)) ?? word;
};

/** The base form of a word that the rules speak of. */
const lemmatise = (word: string): { lemma: string; tense?: Tense } | undefined => {
  const noun = findNounLemma(word);
  return noun === undefined ? findForm(word) : { lemma: noun };
};

/** As it is written, or as it was meant. */
const read = (word: string): { lemma: string; tense?: Tense } => {
  const known = lemmatise(word);
  if (known) return known;
  const meant = correct(word);
  return (meant === word ? undefined : lemmatise(meant)) ?? { lemma: meant };
};

type Span = { start: number; end: number };
const within = (spans: readonly Span[], at: number): boolean =>
  spans.some(({ start, end }) => at >= start && at < end);

const JOINED = new Map(
  Object.entries({
    followup: "follow_up",
    followups: "follow_up",
    "follow-up": "follow_up",
    "follow-ups": "follow_up",
    pullrequest: "pr",
    pullrequests: "pr",
    "pull-request": "pr",
    "pull-requests": "pr",
  }),
);

type Flags = { quoted: boolean; code: boolean };

const addWords = (words: Word[], raw: string, start: number, { quoted, code }: Flags): void => {
  const lower = raw.toLowerCase();
  const place = { start, end: start + raw.length, quoted, code };
  if (isMark(lower)) {
    words.push({ lemma: lower === "—" || lower === "–" ? ";" : lower, ...place });
    return;
  }
  for (const part of split(JOINED.get(lower) ?? lower)) words.push({ ...read(part), ...place });
};

/** The words of one sentence (`text` is the whole text, so that places stay true). */
export const readWords = (
  text: string,
  sentence: Span,
  spans: { quotes: readonly Span[]; code: readonly Span[] },
): Word[] => {
  const piece = text.slice(sentence.start, sentence.end).replaceAll("’", "'");
  const markers = findMarkers(piece);
  const words: Word[] = [];
  const flagsAt = (at: number): Flags => ({ quoted: within(spans.quotes, at), code: within(spans.code, at) });
  const addPlain = (from: number, to: number): void => {
    for (const token of listTokens(piece, from, to)) {
      const at = sentence.start + token.at;
      addWords(words, token.text, at, flagsAt(at));
    }
  };
  let from = 0;
  for (const { marker, start, end } of markers) {
    addPlain(from, start);
    const at = sentence.start + start;
    words.push({ lemma: marker, start: at, end: sentence.start + end, ...flagsAt(at) });
    from = end;
  }
  addPlain(from, piece.length);
  return mergePhrases(words);
};
