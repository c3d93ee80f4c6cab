import { listPieces, type Piece } from "./pieces.ts";
import { findQuotes } from "./spans.ts";
import { readWords, type Word } from "./words.ts";

/** One sentence of a text, read. */
export type Sentence = Piece & {
  words: Word[];
  question: boolean;
  /** the line of a diff that it stands in */
  change?: "added" | "removed";
};

/** A text and its sentences. */
export type Doc = { text: string; sentences: Sentence[] };

const SENTENCE_END = /[.!?…]+["')\]]*(?=\s|$)/g;
const ABBREVIATION =
  /(?:^|[^\w.])(?:e\.g|i\.e|etc|vs|resp|approx|incl|no|nr|cf|mr|mrs|dr|z\.b|d\.h|bzw|ca)\.$/i;

const splitSentences = (text: string, piece: Piece): Piece[] => {
  const body = text.slice(piece.start, piece.end);
  const ends = [...body.matchAll(SENTENCE_END)]
    .map(({ index, 0: mark }) => index + mark.length)
    .filter((end) => !ABBREVIATION.test(body.slice(0, end)));
  if (ends.at(-1) !== body.length) ends.push(body.length);
  return ends.map((end, i) => ({
    ...piece,
    start: piece.start + (ends[i - 1] ?? 0),
    end: piece.start + end,
  }));
};

const CHANGED = /(?:^|\n)([-+])[ \t]*\S[^\n]*$/;

const readSentence = (text: string, piece: Piece, words: Word[]): Sentence => {
  const said = text.slice(Math.max(0, piece.start - 3), piece.end);
  const sign = CHANGED.exec(said)?.[1];
  return {
    ...piece,
    words,
    question: /\?["')\]]*\s*$/.test(said),
    ...(sign === undefined ? {} : { change: sign === "+" ? "added" : "removed" }),
  };
};

const CLIPPED_WORDS = 6;
/** "Finish coding. Write tests. Submit.": three or more clipped sentences are the steps of a plan. */
const numberClipped = (sentences: Sentence[]): Sentence[] => {
  const isPlan =
    sentences.length >= 3 &&
    sentences.every(({ words, step }) => words.length <= CLIPPED_WORDS && step === undefined);
  return isPlan ? sentences.map((sentence, i) => ({ ...sentence, step: i + 1 })) : sentences;
};

/** Reads a text; a sentence that was already said is not read again. */
export const readText = (text: string): Doc => {
  const quotes = findQuotes(text);
  const said = new Set<string>();
  const sentences = listPieces(text)
    .flatMap((piece) => splitSentences(text, piece))
    .flatMap((piece): Sentence[] => {
      const raw = text.slice(piece.start, piece.end).trim();
      if (said.has(raw)) return [];
      said.add(raw);
      const words = readWords(text, piece, quotes);
      return words.length > 0 ? [readSentence(text, piece, words)] : [];
    });
  return { text, sentences: numberClipped(sentences) };
};
