import type { Doc, Finding } from "../rules/rule.ts";
import {
  explainOpinion,
  giveOpinion,
  OPINION_RULES,
  type Opinion,
  type OpinionRule,
  type Weights,
} from "./opinion.ts";

/** Marks that mean what they say wherever they stand: there the rules know better than what was learned. */
const EXACT = new Set(["NOVERIFY", "SKIPCI", "SKIPFLAG", "SWALLOW", "SKIPMARK", "REPOCREATE", "SNAPUPDATE"]);

/** Log odds from which on the whole text is a STOP; chosen by cross validation (`bench/critic-folds.ts`). */
const STOPS = -1.8;
/** The rules know short sentences well: there it takes more to say the opposite. */
const SHORT_WORDS = 14;
const SHORT_MORE = 2;
/** Nearly every command of an agent is harmless, other than the actions that were learned from. */
const COMMAND_MORE = 4;
/** An exact mark falls only when all the rest of the text speaks against it. */
const STOPS_EXACT = -5;
/** Log odds from which on a rule is named beside the one that speaks loudest. */
const NAMED = 0;

const isOpinionRule = (rule: string): rule is OpinionRule => OPINION_RULES.some((known) => known === rule);

const isExact = (doc: Doc, { start, end }: Finding): boolean =>
  doc.sentences.some(({ words }) =>
    words.some((word) => word.start < end && word.end > start && EXACT.has(word.lemma)),
  );

/** Log odds from which on this text is a STOP. */
const findLeast = (doc: Doc, found: readonly Finding[]): number => {
  const short = doc.sentences.length === 1 && (doc.sentences[0]?.words.length ?? 0) <= SHORT_WORDS;
  const spoken = found.filter(({ rule }) => isOpinionRule(rule));
  if (!short || spoken.length === 0) return STOPS;
  return spoken.some(({ excuse }) => excuse === undefined) ? STOPS - SHORT_MORE : STOPS + SHORT_MORE;
};

const listNamed = ({ stop, rules }: Opinion, least: number): OpinionRule[] => {
  if (stop < least) return [];
  const [loudest] = [...OPINION_RULES].sort((a, b) => rules[b].own - rules[a].own);
  return OPINION_RULES.filter((rule) => rule === loudest || rules[rule].own >= NAMED);
};

/** The rules' findings, weighed against the second opinion: it raises what they missed and takes back what is none. */
export const weigh = (
  doc: Doc,
  found: readonly Finding[],
  { isCommand = false, weights }: { isCommand?: boolean; weights?: Weights } = {},
): Finding[] => {
  if (doc.sentences.length === 0) return [...found];
  const opinion = giveOpinion(doc, found, weights);
  const named = listNamed(opinion, findLeast(doc, found) + (isCommand ? COMMAND_MORE : 0));
  const stands = (finding: Finding): boolean =>
    !isOpinionRule(finding.rule) ||
    named.includes(finding.rule) ||
    (opinion.stop >= STOPS_EXACT && isExact(doc, finding));
  const weighed = found.map((finding): Finding =>
    finding.excuse !== undefined || stands(finding)
      ? finding
      : { ...finding, excuse: "none when the text is read as a whole" },
  );
  const missed = named.filter((rule) => !found.some((one) => one.rule === rule && one.excuse === undefined));
  const raised = missed.flatMap((rule): Finding[] => {
    const { sentence } = opinion.rules[rule];
    const place = doc.sentences[sentence];
    if (!place) return [];
    return [
      {
        rule,
        frame: "the text read as a whole",
        start: place.start,
        end: place.end,
        words: () => explainOpinion(doc, found, { rule, sentence }),
        excuse: undefined,
      },
    ];
  });
  return [...weighed, ...raised];
};
