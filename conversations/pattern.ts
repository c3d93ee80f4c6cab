import { AppError, errorText } from "../core/errors.ts";
import { runWithTimeLimit } from "../core/time-limit.ts";

/** One way to look for a pattern. */
export type Stage = {
  name: "phrase" | "words" | "regex";
  /** literals every hit holds, for the index; empty: nothing is known, every text is looked at */
  literals: string[];
  /** where in a text the hit is, if it is one */
  find: (text: string) => { index: number; length: number } | undefined;
};

/** Some letters are longer in lower case (İ): where a place in a lower-cased text is in the text itself. */
const placeIn = (text: string, folded: string, index: number): number => {
  if (folded.length === text.length) return index;
  let at = 0;
  let place = 0;
  for (const letter of text) {
    if (at >= index) break;
    at += letter.toLowerCase().length;
    place += letter.length;
  }
  return place;
};

const findIn = (text: string, folded: string, needle: string): ReturnType<Stage["find"]> => {
  const index = folded.indexOf(needle);
  return index === -1 ? undefined : { index: placeIn(text, folded, index), length: needle.length };
};

/** Words as they stand, in upper and lower case alike. */
const findPhrase = (phrase: string): Stage["find"] => {
  const needle = phrase.toLowerCase();
  return (text) => findIn(text, text.toLowerCase(), needle);
};

const toRegExp = (source: string, flags: string): RegExp => {
  try {
    // Without g and y it keeps no place, and may be used again and again.
    return new RegExp(source, flags.replaceAll(/[gy]/g, ""));
  } catch (error) {
    throw new AppError("usage", `/${source}/${flags} is not a regular expression: ${errorText(error)}`);
  }
};

const findRegExp = (source: string, flags: string): Stage["find"] => {
  const regex = toRegExp(source, flags);
  return (text) => {
    const found = regex.exec(text);
    return found ? { index: found.index, length: found[0].length } : undefined;
  };
};

const findWords = (words: readonly string[]): Stage["find"] => {
  const needles = words.map((word) => word.toLowerCase());
  return (text) => {
    const folded = text.toLowerCase();
    if (!needles.every((needle) => folded.includes(needle))) return undefined;
    const [rarest = ""] = [...needles].sort((a, b) => b.length - a.length);
    return findIn(text, folded, rarest);
  };
};

const CLASS_ESCAPE = /[a-zA-Z0-9]/;

/**
 * A run of plain characters that every match of a regular expression holds; the longest, or nothing when
 * that cannot be told by looking (alternatives, groups and classes are not followed).
 */
export const requiredLiteral = (source: string, flags: string): string => {
  // Under iu, case folding knows pairs that lower-casing does not (the long s, the Kelvin sign).
  if (source.includes("|") || (flags.includes("i") && /[uv]/.test(flags))) return "";
  const runs: string[] = [];
  let run = "";
  let depth = 0;
  const end = () => {
    if (depth === 0) runs.push(run);
    run = "";
  };
  for (let at = 0; at < source.length; at += 1) {
    const char = source[at] ?? "";
    if (char === "\\") {
      at += 1;
      const escaped = source[at] ?? "";
      if (CLASS_ESCAPE.test(escaped)) {
        end();
        // \u0041, \x41, \p{…}, \k<…>: what follows belongs to the escape.
        if (/[uxpPkc]/.test(escaped)) return "";
      } else run += escaped;
    } else if (char === "[") {
      end();
      for (at += 1; at < source.length && source[at] !== "]"; at += 1) if (source[at] === "\\") at += 1;
    } else if (char === "(") {
      end();
      depth += 1;
    } else if (char === ")") {
      run = "";
      depth -= 1;
    } else if (char === "*" || char === "?" || char === "{") {
      run = run.slice(0, -1);
      end();
      if (char === "{") at = Math.max(at, source.indexOf("}", at));
    } else if (char === "+" || char === "." || char === "^" || char === "$") end();
    else run += char;
  }
  end();
  return runs.sort((a, b) => b.length - a.length)[0] ?? "";
};

/**
 * A pattern as stages, best first: `/regex/flags`; `"words in quotes"` exactly so; else the words as they stand and,
 * if there are several, the words in any order within one text.
 * @throws AppError `usage` for a pattern without a letter: it would be found everywhere
 */
export const parsePattern = (pattern: string): Stage[] => {
  const [, source, flags = ""] = /^\/(.+)\/([a-z]*)$/s.exec(pattern) ?? [];
  if (source !== undefined) {
    const literal = requiredLiteral(source, flags);
    return [{ name: "regex", literals: literal === "" ? [] : [literal], find: findRegExp(source, flags) }];
  }
  const quoted = /^"(.+)"$/s.exec(pattern)?.[1];
  const phrase = quoted ?? pattern.trim();
  if (phrase === "")
    throw new AppError("usage", "the pattern is empty; give words to look for, or a /regex/");
  const stages: Stage[] = [{ name: "phrase", literals: [phrase], find: findPhrase(phrase) }];
  const words = [...new Set(phrase.split(/\s+/))];
  if (quoted === undefined && words.length > 1)
    stages.push({ name: "words", literals: words, find: findWords(words) });
  return stages;
};

/** One text may take a regular expression so long; most take a millisecond. */
const LIMIT_MS = 5_000;

/**
 * Looks through texts, a text or a block at a step. An expression that backtracks without end is interrupted.
 * @throws AppError `usage` when a step takes too long
 */
export const runStages = (pattern: string, stages: readonly Stage[], steps: Iterator<void>): void => {
  if (stages.every(({ name }) => name !== "regex")) {
    while (steps.next().done !== true);
    return;
  }
  if (!runWithTimeLimit(steps, LIMIT_MS))
    throw new AppError(
      "usage",
      `${pattern} backtracks without end: one text took more than ${LIMIT_MS / 1000} seconds; make it simpler, for example without a repeat inside a repeat`,
    );
};
