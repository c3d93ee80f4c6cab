import { DEFAULT_MIN_STRENGTH, RELATIVE_TO_BEST } from "./evidence.ts";
import type { Learning, LearningType, Link, Visibility } from "../store/learning.ts";
import type { Receipts } from "./receipt.ts";
import { type PromptLearning, renderPrompt } from "./render-prompt.ts";
import { type Ranked, retrieve, type Retrieved, type RetrievePorts } from "./retrieve.ts";
import type { LearningSearch, LearningStore, ProjectState, StateStore } from "../store/store.ts";

export type InjectPorts = RetrievePorts & {
  learnings: LearningStore & LearningSearch;
  states: StateStore;
  receipts: Receipts;
};

export type InjectQuery = {
  context: string;
  visibility: Visibility;
  limit: number;
  types?: readonly LearningType[] | undefined;
  minConfidence?: number | undefined;
  minStrength?: number | undefined;
  maxTokens: number;
  /** the project whose state is told too */
  stateOf?: string | undefined;
  /** whether everything that was found is asked for, and not only enough to choose from */
  all?: boolean | undefined;
};

/** A learning that was chosen, with what belongs to it. */
export type Chosen = Ranked & {
  /** the learning that works where this failure did not */
  fix?: Learning;
  /** newer learnings that say the opposite */
  contradictedBy: string[];
};

/** A learning that was considered and not given, with the reason. */
export type Passed = { ranked: Ranked; why: string };

export type Injected = {
  chosen: Chosen[];
  passed: Passed[];
  prompt: string;
  tokens: number;
  receipt: string;
  state?: ProjectState;
  /** why nothing was given */
  abstained?: string;
  /** all that it was chosen from */
  retrieved: Retrieved;
};

/** more than are given, for those that give way to others and for the explanation */
const CONSIDERED_PER_ANSWER = 3;
const CONTRADICTED_FACTOR = 0.75;

/** What a session should know before it starts: few learnings that fit, or none. */
export const inject = async (ports: InjectPorts, query: InjectQuery): Promise<Injected> => {
  const retrieved = await retrieve(ports, {
    ...query,
    limit: query.all ? undefined : query.limit * CONSIDERED_PER_ANSWER,
  });
  const { ranked, candidates } = retrieved;
  const minStrength = query.minStrength ?? DEFAULT_MIN_STRENGTH;
  const { strong, passed } = separate(ranked, minStrength);
  const chosen = await withLinks(ports, strong, query.visibility);
  const kept = chosen.slice(0, query.limit);
  passed.push(...chosen.slice(query.limit).map((one) => ({ ranked: one, why: "beyond the limit" })));
  const state = query.stateOf === undefined ? undefined : await ports.states.find(query.stateOf);
  const { prompt, tokens, shown } = renderPrompt(kept.map(toPromptLearning), {
    maxTokens: query.maxTokens,
    state: state ? stateLines(state) : [],
  });
  const given = kept.slice(0, shown);
  passed.push(...kept.slice(shown).map((one) => ({ ranked: one, why: "beyond the token budget" })));
  return {
    chosen: given,
    passed,
    prompt,
    tokens,
    receipt: ports.receipts.issue(
      given.flatMap(({ learning, fix }) => [learning.seq, ...(fix ? [fix.seq] : [])]),
    ),
    ...(state ? { state } : {}),
    ...(given.length === 0 ? { abstained: whyNothing({ ranked, candidates, kept, minStrength }) } : {}),
    retrieved,
  };
};

const separate = (ranked: readonly Ranked[], minStrength: number): { strong: Ranked[]; passed: Passed[] } => {
  const strong: Ranked[] = [];
  const passed: Passed[] = [];
  const best = ranked[0]?.score ?? 0;
  for (const one of ranked) {
    if (one.strength < minStrength)
      passed.push({
        ranked: one,
        why: `strength ${one.strength.toFixed(2)} is below ${minStrength.toFixed(2)}`,
      });
    else if (one.score < best * RELATIVE_TO_BEST)
      passed.push({ ranked: one, why: "far weaker than the best" });
    else strong.push(one);
  }
  return { strong, passed };
};

const whyNothing = ({
  ranked,
  candidates,
  kept,
  minStrength,
}: {
  ranked: readonly Ranked[];
  candidates: number;
  kept: readonly Chosen[];
  minStrength: number;
}): string => {
  if (kept.length > 0) return "no learning fits the token budget";
  if (candidates === 0) return "no learning shares a telling word with this context";
  const best = Math.max(0, ...ranked.map(({ strength }) => strength));
  return `the best of ${candidates} candidates has strength ${best.toFixed(2)}, below ${minStrength.toFixed(2)}`;
};

/** Follows what was said about the chosen: superseded ones give way, contradicted ones fall back, fixes join their failure. */
const withLinks = async (
  { learnings }: InjectPorts,
  strong: readonly Ranked[],
  visibility: Visibility,
): Promise<Chosen[]> => {
  const links =
    strong.length === 0 ? [] : await learnings.linksOf(strong.map(({ learning }) => learning.seq));
  if (links.length === 0) return strong.map((one) => ({ ...one, contradictedBy: [] }));
  const others = await learnings.bySeq([...new Set(links.map(({ from }) => from))], visibility);
  const bySeq = new Map(others.map((entry) => [entry.learning.seq, entry]));
  const fixing = new Set<number>();
  const chosen = strong.flatMap((one): Chosen[] => {
    const from = linkedFrom(links, one.learning.seq);
    const successor = bySeq.get(from("supersedes").at(-1) ?? -1);
    const contradictedBy = from("contradicts").flatMap((seq) => bySeq.get(seq)?.learning.id ?? []);
    const fix = bySeq.get(from("fixes").at(-1) ?? -1)?.learning;
    if (fix) fixing.add(fix.seq);
    if (successor && strong.some(({ learning }) => learning.seq === successor.learning.seq)) return [];
    return [
      {
        ...one,
        ...successor,
        score: contradictedBy.length > 0 ? one.score * CONTRADICTED_FACTOR : one.score,
        contradictedBy,
        ...(fix ? { fix } : {}),
      },
    ];
  });
  return chosen
    .filter(({ learning, fix }) => fix !== undefined || !fixing.has(learning.seq))
    .sort((a, b) => b.score - a.score || b.learning.seq - a.learning.seq);
};

const linkedFrom =
  (links: readonly Link[], seq: number) =>
  (kind: Link["kind"]): number[] =>
    links.filter((link) => link.to === seq && link.kind === kind).map(({ from }) => from);

const toPromptLearning = ({ learning, fix, contradictedBy }: Chosen): PromptLearning => ({
  id: learning.id,
  type: learning.type,
  trigger: learning.trigger,
  learning: learning.learning,
  reason: contradictedBy.length > 0 ? note(learning.reason, "a newer note says otherwise") : learning.reason,
  works: fix?.learning ?? learning.alternative,
});

const note = (reason: string | undefined, remark: string): string =>
  reason ? `${reason}; ${remark}` : remark;

const stateLines = ({ status, state, revision }: ProjectState): string[] => [
  `status: ${status} (revision ${revision})`,
  ...Object.entries(state).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value])
      .filter((item) => item !== null && item !== "")
      .map((item) => `${name}: ${typeof item === "string" ? item : JSON.stringify(item)}`),
  ),
];
