import { type Pack, reaches, type Rule, RULES, type RuleId, type Severity } from "./catalogue.ts";
import { DESTRUCTIVE_RULES, type DestructiveFinding } from "./destructive/catalogue.ts";
import { findOwnFlags, type OwnPattern } from "./own-patterns.ts";
import { listExcused } from "./reader/excuses.ts";
import { findFlags } from "./reader/findings.ts";
import { type Doc, readText } from "./reader/sentences.ts";
import { listLoudestWords } from "./reader/speak.ts";

/** One red flag in a text. `match` is the place, in the words of the text. */
export type Flag = {
  id: string;
  pack: Pack;
  severity: Severity;
  message: string;
  suggestion: string;
  match: string;
};

/** A place that looked like a flag and is none, with the reason. */
export type Excused = { id: string; match: string; reason: string };

/** The words that spoke most for a flag. */
export type Spoken = { id: string; words: readonly string[] };

export type Allowance = { id: string; until: string; reason: string };

/** A rule that the project has switched off; `match` where it would have spoken. */
export type Disabled = { id: string; severity: Severity; match?: string };

export type CriticOptions = {
  /** least severity that means STOP; HIGH by default */
  stopAt?: Severity;
  /** rule ids that are switched off */
  disable?: readonly string[];
  allow?: readonly Allowance[];
  /** the text is a command of a tool call: it takes more to be flagged */
  isCommand?: boolean;
  /** what the commands of the action would destroy, by the second pack */
  destructive?: readonly DestructiveFinding[];
  /** milliseconds since the epoch, for the end of allowances */
  now?: number;
};

export type Judgement = {
  verdict: "STOP" | "PROCEED";
  flags: Flag[];
  /** flags that an allowance lets through, and until when */
  allowed: (Flag & { until: string; reason: string })[];
  /** rules that are switched off, whether they would have spoken or not */
  disabled: Disabled[];
};

/** What a judgement rests on, for whoever asks. */
export type Explanation = { excused: Excused[]; learned: Spoken[] };

const MAX_QUOTE = 200;
const quote = (text: string): string => {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > MAX_QUOTE ? `${line.slice(0, MAX_QUOTE)}…` : line;
};
const quoteSentence = ({ text, sentences }: Doc, index: number): string => {
  const { start = 0, end = 0 } = sentences[index] ?? {};
  return quote(text.slice(start, end));
};

/** The end of an allowance; a bare date lasts through that day, in UTC. */
export const endOfAllowance = (until: string): number =>
  Date.parse(/^\d{4}-\d{2}-\d{2}$/.test(until) ? `${until}T23:59:59.999Z` : until);

const byId = (a: { id: string }, b: { id: string }): number => (a.id < b.id ? -1 : 1);

const flagOf = ({ id, severity, message, suggestion }: Rule, pack: Pack, match: string): Flag => ({
  id,
  pack,
  severity,
  message,
  suggestion,
  match: quote(match),
});

const listAll = (doc: Doc, patterns: readonly OwnPattern[], options: CriticOptions): Flag[] => {
  const { isCommand = false, destructive = [] } = options;
  const builtIn = findFlags(doc, { isCommand }).map(({ rule, sentence }) =>
    flagOf(RULES[rule], "intent", quoteSentence(doc, sentence)),
  );
  const harm = destructive.map(({ rule, match }) => flagOf(DESTRUCTIVE_RULES[rule], "destructive", match));
  const own = new Map<string, Flag>();
  for (const { pattern, match, excuse } of findOwnFlags(doc, patterns)) {
    if (excuse === undefined && !own.has(pattern.id))
      own.set(pattern.id, flagOf({ ...pattern, title: "own pattern" }, "own", match));
  }
  return [...builtIn, ...harm, ...own.values()].sort(byId);
};

/** Judges an action that somebody is about to take: the built-in rules and patterns of one's own. */
export const judge = (
  text: string,
  patterns: readonly OwnPattern[] = [],
  options: CriticOptions = {},
): Judgement => {
  const { stopAt = "HIGH", disable = [], allow = [], now = 0 } = options;
  const found = listAll(readText(text), patterns, options);
  const all = found.filter(({ id }) => !disable.includes(id));
  const standing = (id: string) => allow.find((one) => one.id === id && endOfAllowance(one.until) >= now);
  const flags = all.filter(({ id }) => !standing(id));
  const allowed = all.flatMap((flag) => {
    const allowance = standing(flag.id);
    return allowance ? [{ ...flag, until: allowance.until, reason: allowance.reason }] : [];
  });
  const disabled = [...Object.values(RULES), ...Object.values(DESTRUCTIVE_RULES)]
    .filter(({ id }) => disable.includes(id))
    .map(({ id, severity }): Disabled => {
      const match = found.find((flag) => flag.id === id)?.match;
      return { id, severity, ...(match === undefined ? {} : { match }) };
    });
  const verdict = flags.some(({ severity }) => reaches(severity, stopAt)) ? "STOP" : "PROCEED";
  return { verdict, flags, allowed, disabled };
};

/** Why a text is judged as it is: what looks like a flag and is none, and the words that spoke for each flag. */
export const explain = (text: string, patterns: readonly OwnPattern[] = []): Explanation => {
  const doc = readText(text);
  const found = findFlags(doc);
  const rules = found.map(({ rule }): RuleId => rule);
  const builtIn = listExcused(doc, rules).map(({ rule, sentence, excuse }) => ({
    id: rule,
    match: quoteSentence(doc, sentence),
    reason: excuse,
  }));
  const own = findOwnFlags(doc, patterns).flatMap(({ pattern, match, excuse }) =>
    excuse === undefined ? [] : [{ id: pattern.id, match: quote(match), reason: excuse }],
  );
  return {
    excused: [...builtIn, ...own],
    learned: found
      .map(({ rule, sentence }) => ({ id: rule, words: listLoudestWords(doc, sentence, rule) }))
      .sort(byId),
  };
};
