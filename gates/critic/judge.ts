import { reaches, RULES, type Severity } from "./catalogue.ts";
import { toOneLine } from "./language/tokens.ts";
import { findAll, readDoc } from "./find-flags.ts";
import { weigh } from "./opinion/weigh.ts";
import { findOwnFlags, type OwnPattern } from "./own-patterns.ts";

/** One red flag in a text. `match` is the place, in the words of the text. */
export type Flag = { id: string; severity: Severity; message: string; suggestion: string; match: string };

/** A place that looked like a flag and is none, with the reason. */
export type Excused = { id: string; frame: string; match: string; reason: string };

/** What the second opinion raised, and the words that spoke most for it. */
export type Learned = { id: string; words: readonly string[] };

export type Allowance = { id: string; until: string; reason: string };

export type CriticOptions = {
  /** least severity that means STOP; HIGH by default */
  stopAt?: Severity;
  /** rule ids that are switched off */
  disable?: readonly string[];
  allow?: readonly Allowance[];
  /** the text is a command of a tool call: only what is quite sure is raised beside what the rules find */
  isCommand?: boolean;
  /** milliseconds since the epoch, for the end of allowances */
  now?: number;
};

export type Judgement = {
  verdict: "STOP" | "PROCEED";
  flags: Flag[];
  /** flags that an allowance lets through, and until when */
  allowed: (Flag & { until: string; reason: string })[];
  excused: Excused[];
  learned: Learned[];
};

/** A text beyond this is judged by its beginning and its end. */
const MAX_TEXT = 24_000;

const shorten = (text: string): string =>
  text.length <= MAX_TEXT ? text : `${text.slice(0, MAX_TEXT / 2)}\n\n${text.slice(-MAX_TEXT / 2)}`;

const MAX_QUOTE = 200;
const quote = (text: string): string => {
  const line = toOneLine(text);
  return line.length > MAX_QUOTE ? `${line.slice(0, MAX_QUOTE)}…` : line;
};

/** The end of an allowance; a bare date lasts through that day, in UTC. */
export const endOfAllowance = (until: string): number =>
  Date.parse(/^\d{4}-\d{2}-\d{2}$/.test(until) ? `${until}T23:59:59.999Z` : until);

/** Judges an action that somebody is about to take: the built-in rules and patterns of one's own. */
export const judge = (
  text: string,
  patterns: readonly OwnPattern[] = [],
  options: CriticOptions = {},
): Judgement => {
  const { stopAt = "HIGH", disable = [], allow = [], now = 0, isCommand = false } = options;
  const judged = shorten(text);
  const flags = new Map<string, Flag>();
  const excused: Excused[] = [];
  const learned: Learned[] = [];
  const doc = readDoc(judged);
  for (const { rule, frame, start, end, excuse, words } of weigh(doc, findAll(doc), { isCommand })) {
    const match = quote(judged.slice(start, end));
    if (disable.includes(rule)) continue;
    if (excuse !== undefined) excused.push({ id: rule, frame, match, reason: excuse });
    else if (!flags.has(rule)) flags.set(rule, { ...pick(RULES[rule]), match });
    // Only whoever asks for the words pays for finding them.
    if (words && excuse === undefined)
      learned.push({
        id: rule,
        get words() {
          return words();
        },
      });
  }
  for (const { pattern, match, excuse } of findOwnFlags(doc, patterns)) {
    if (disable.includes(pattern.id)) continue;
    if (excuse !== undefined)
      excused.push({ id: pattern.id, frame: "own pattern", match: quote(match), reason: excuse });
    else if (!flags.has(pattern.id)) flags.set(pattern.id, { ...pick(pattern), match: quote(match) });
  }
  const all = [...flags.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
  const standing = (id: string) => allow.find((one) => one.id === id && endOfAllowance(one.until) >= now);
  const counted = all.filter(({ id }) => !standing(id));
  const allowed = all.flatMap((flag) => {
    const allowance = standing(flag.id);
    return allowance ? [{ ...flag, until: allowance.until, reason: allowance.reason }] : [];
  });
  const verdict = counted.some(({ severity }) => reaches(severity, stopAt)) ? "STOP" : "PROCEED";
  return { verdict, flags: counted, allowed, excused, learned };
};

const pick = ({ id, severity, message, suggestion }: Omit<Flag, "match">): Omit<Flag, "match"> => ({
  id,
  severity,
  message,
  suggestion,
});
