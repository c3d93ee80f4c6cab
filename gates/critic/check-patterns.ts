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
  const fault = compileFault(pattern.pattern);
  if (fault !== undefined)
    return [
      {
        path: `${at}.pattern`,
        message: `${JSON.stringify(pattern.pattern)}: ${fault}; correct the expression`,
      },
    ];
  const faults: Fault[] = [];
  for (const [i, example] of pattern.match.entries())
    if (!isFlagged(example, pattern)) {
      const excuse = findOwnFlags(readText(example), [pattern])[0]?.excuse;
      const why = excuse === undefined ? "does not fit it" : `fits it, but reads as ${excuse}`;
      faults.push({
        path: `${at}.match[${i}]`,
        message: `${JSON.stringify(example)} is not flagged: the pattern ${why}; change the pattern or the example`,
      });
    }
  for (const [i, example] of pattern.noMatch.entries())
    if (isFlagged(example, pattern))
      faults.push({
        path: `${at}.noMatch[${i}]`,
        message: `${JSON.stringify(example)} is flagged; narrow the pattern or drop the example`,
      });
  const own = judge(pattern.suggestion, {
    own: findOwnFlags(readText(pattern.suggestion), all),
  }).flags.find(({ id, severity }) => id === pattern.id || severity === "HIGH");
  if (own)
    faults.push({
      path: `${at}.suggestion`,
      message: `${JSON.stringify(pattern.suggestion)} is itself flagged by ${own.id}; suggest something that passes`,
    });
  return faults;
};

const checkIds = ({ patterns = [], disable = [], allow = [] }: Declared): Fault[] => {
  const builtIn = [...Object.keys(RULES), ...Object.keys(DESTRUCTIVE_RULES)];
  const known = [...builtIn, ...patterns.map(({ id }) => id)];
  const unknown = (id: string, path: string): Fault[] => {
    if (known.includes(id)) return [];
    const near = nearestName(id, known);
    return [
      {
        path,
        message: `${JSON.stringify(id)} is not a rule; ${near ? `did you mean ${JSON.stringify(near)}?` : `there are: ${known.join(", ")}`}`,
      },
    ];
  };
  return [
    ...patterns.flatMap(({ id }, i) => {
      const path = `critic.patterns[${i}].id`;
      if (patterns.findIndex((other) => other.id === id) < i)
        return [
          {
            path,
            message: `${JSON.stringify(id)} is there twice, so this one can never be told apart; rename it`,
          },
        ];
      if (disable.includes(id))
        return [
          {
            path,
            message: `${JSON.stringify(id)} can never fire: critic.disable switches it off; remove one of the two`,
          },
        ];
      return [];
    }),
    ...disable.flatMap((id, i) => unknown(id, `critic.disable[${i}]`)),
    ...allow.flatMap(({ id, until }, i) => [
      ...unknown(id, `critic.allow[${i}].id`),
      ...(Number.isNaN(endOfAllowance(until))
        ? [
            {
              path: `critic.allow[${i}].until`,
              message: `${JSON.stringify(until)} is not a date; write it like 2027-01-31 or 2027-01-31T18:00:00Z`,
            },
          ]
        : []),
    ]),
  ];
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
