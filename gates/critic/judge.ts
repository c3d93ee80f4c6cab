import {
  DESTRUCTIVE_RULES,
  type DestructiveFinding,
  type Pack,
  reaches,
  type Rule,
  RULES,
  type Severity,
} from "./catalogue.ts";
import type { OwnFlag } from "./own-patterns.ts";
import { findFlags } from "./reader/findings.ts";
import { type Doc, readText } from "./reader/sentences.ts";

/** One red flag in a text. `match` is the place, in the words of the text. */
export type Flag = {
  id: string;
  pack: Pack;
  severity: Severity;
  message: string;
  suggestion: string;
  match: string;
};

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
  /** what patterns of one's own found in the text */
  own?: readonly OwnFlag[];
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

const MAX_QUOTE = 200;
/** Words of a text, on one line and not too long. */
export const quote = (text: string): string => {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > MAX_QUOTE ? `${line.slice(0, MAX_QUOTE)}…` : line;
};
export const quoteSentence = ({ text, sentences }: Doc, index: number): string => {
  const { start = 0, end = 0 } = sentences[index] ?? {};
  return quote(text.slice(start, end));
};

/** The end of an allowance; a bare date lasts through that day, in UTC. */
export const endOfAllowance = (until: string): number =>
  Date.parse(/^\d{4}-\d{2}-\d{2}$/.test(until) ? `${until}T23:59:59.999Z` : until);

export const byId = (a: { id: string }, b: { id: string }): number => (a.id < b.id ? -1 : 1);

type Told = Omit<Rule, "title">;

const flagOf = (id: string, { severity, message, suggestion }: Told, pack: Pack, match: string): Flag => ({
  id,
  pack,
  severity,
  message,
  suggestion,
  match: quote(match),
});

const listAll = (doc: Doc, { isCommand = false, own = [], destructive = [] }: CriticOptions): Flag[] => {
  const builtIn = findFlags(doc, { isCommand }).map(({ rule, sentence }) =>
    flagOf(rule, RULES[rule], "intent", quoteSentence(doc, sentence)),
  );
  const harm = destructive.map(({ rule, match }) =>
    flagOf(rule, DESTRUCTIVE_RULES[rule], "destructive", match),
  );
  const byPattern = new Map<string, Flag>();
  for (const { pattern, match, excuse } of own)
    if (excuse === undefined && !byPattern.has(pattern.id))
      byPattern.set(pattern.id, flagOf(pattern.id, pattern, "own", match));
  return [...builtIn, ...harm, ...byPattern.values()].sort(byId);
};

/** Judges a text by the built-in rules, together with what was found in it by others. */
export const judge = (text: string, options: CriticOptions = {}): Judgement => {
  const { stopAt = "HIGH", disable = [], allow = [], now = 0 } = options;
  const found = listAll(readText(text), options);
  const all = found.filter(({ id }) => !disable.includes(id));
  const standing = (id: string) => allow.find((one) => one.id === id && endOfAllowance(one.until) >= now);
  const flags = all.filter(({ id }) => !standing(id));
  const allowed = all.flatMap((flag) => {
    const allowance = standing(flag.id);
    return allowance ? [{ ...flag, until: allowance.until, reason: allowance.reason }] : [];
  });
  const disabled = Object.entries({ ...RULES, ...DESTRUCTIVE_RULES })
    .filter(([id]) => disable.includes(id))
    .map(([id, { severity }]): Disabled => {
      const match = found.find((flag) => flag.id === id)?.match;
      return { id, severity, ...(match === undefined ? {} : { match }) };
    });
  const verdict = flags.some(({ severity }) => reaches(severity, stopAt)) ? "STOP" : "PROCEED";
  return { verdict, flags, allowed, disabled };
};
