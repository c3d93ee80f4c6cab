import type { Fault } from "../../core/errors.ts";
import { nearestName } from "../../core/nearest-name.ts";
import { DESTRUCTIVE_RULES, RULES } from "./catalogue.ts";
import { endOfAllowance, judge } from "./judge.ts";
import { readText } from "./reader/sentences.ts";
import { findOwnFlags, type OwnPattern } from "./own-patterns.ts";

type OwnPatternWithExamples = OwnPattern & { match: readonly string[]; noMatch: readonly string[] };

const isFlagged = (text: string, pattern: OwnPattern): boolean =>
  findOwnFlags(readText(text), [pattern]).some(({ excuse }) => excuse === undefined);

const compileFault = (pattern: string): string | undefined => {
  try {
    return new RegExp(pattern, "giu").test("") ? "matches the empty text, so it says nothing" : undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
};

type Declared = {
  patterns?: readonly OwnPatternWithExamples[];
  disable?: readonly string[];
  allow?: readonly { id: string; until: string; reason: string }[];
};

const checkPattern = (pattern: OwnPatternWithExamples, at: string, all: readonly OwnPattern[]): Fault[] => {
  const said = (place: string, text: string, words: string): Fault => ({
    path: `${at}.${place}`,
    message: `${JSON.stringify(text)}${words}`,
  });
  const fault = compileFault(pattern.pattern);
  if (fault !== undefined) return [said("pattern", pattern.pattern, `: ${fault}; correct the expression`)];
  const missed = pattern.match.flatMap((example, i) => {
    if (isFlagged(example, pattern)) return [];
    const excuse = findOwnFlags(readText(example), [pattern])[0]?.excuse;
    const why = excuse === undefined ? "does not fit it" : `fits it, but reads as ${excuse}`;
    return [
      said(`match[${i}]`, example, ` is not flagged: the pattern ${why}; change the pattern or the example`),
    ];
  });
  const caught = pattern.noMatch.flatMap((example, i) =>
    isFlagged(example, pattern)
      ? [said(`noMatch[${i}]`, example, " is flagged; narrow the pattern or drop the example")]
      : [],
  );
  const { suggestion } = pattern;
  const own = judge(suggestion, { own: findOwnFlags(readText(suggestion), all) }).flags.find(
    ({ id, severity }) => id === pattern.id || severity === "HIGH",
  );
  const flagged =
    own && said("suggestion", suggestion, ` is itself flagged by ${own.id}; suggest something that passes`);
  return [...missed, ...caught, ...(flagged ? [flagged] : [])];
};

const checkIds = ({ patterns = [], disable = [], allow = [] }: Declared): Fault[] => {
  const builtIn = [...Object.keys(RULES), ...Object.keys(DESTRUCTIVE_RULES)];
  const known = [...builtIn, ...patterns.map(({ id }) => id)];
  const faults: Fault[] = [];
  const add = (path: string, text: string, words: string): void => {
    faults.push({ path: `critic.${path}`, message: `${JSON.stringify(text)} ${words}` });
  };
  const checkId = (id: string, path: string): void => {
    const near = nearestName(id, known);
    const hint = near ? `did you mean ${JSON.stringify(near)}?` : `there are: ${known.join(", ")}`;
    if (!known.includes(id)) add(path, id, `is not a rule; ${hint}`);
  };
  for (const [i, { id }] of patterns.entries())
    if (patterns.findIndex((other) => other.id === id) < i)
      add(`patterns[${i}].id`, id, "is there twice, so this one can never be told apart; rename it");
    else if (disable.includes(id))
      add(`patterns[${i}].id`, id, "can never fire: critic.disable switches it off; remove one of the two");
  for (const [i, id] of disable.entries()) checkId(id, `disable[${i}]`);
  for (const [i, { id, until }] of allow.entries()) {
    checkId(id, `allow[${i}].id`);
    if (Number.isNaN(endOfAllowance(until)))
      add(`allow[${i}].until`, until, "is not a date; write it like 2027-01-31 or 2027-01-31T18:00:00Z");
  }
  return faults;
};

/** Every fault of the `critic` section that its schema cannot see: examples are run, rules that cannot fire are named. */
export const listCriticFaults = (declared: Declared): Fault[] => {
  const patterns = declared.patterns ?? [];
  const sound = patterns.filter(({ pattern }) => compileFault(pattern) === undefined);
  return [
    ...checkIds(declared),
    ...patterns.flatMap((pattern, i) => checkPattern(pattern, `critic.patterns[${i}]`, sound)),
  ];
};
