// Where /inject abstains: what it gives to contexts that nothing stored fits, by where the contexts come from,
// and the regression behind `strengthOf`. Each source is judged by weights that were fitted without it.
// Run with: npx bun bench/retrieval-strength.ts [<clone of a public project> …]   (their commit messages are contexts)
import { execFileSync } from "node:child_process";
import { basename } from "node:path";
import { createAliases } from "../server/memory/analysis/aliases.ts";
import { DEFAULT_MIN_STRENGTH, HALF_EVIDENCE, RELATIVE_TO_BEST } from "../server/memory/ranking/evidence.ts";
import { retrieve } from "../server/memory/ranking/retrieve.ts";
import type { Relevance } from "../server/memory/ranking/rank.ts";
import type { MemoryStores } from "../server/memory/store/store.ts";
import { readCorpusPrompts } from "./retrieval-set/corpus-prompts.ts";
import { addLearning, onSqlite } from "./retrieval-set/evaluate.ts";
import { readRetrievalSet } from "./retrieval-set/parse.ts";

type Candidate = { isRight: boolean; score: number; features: number[] };
/** Weights are fitted without the fold that they judge: a source, or half of our own set. */
type Asked = { source: string; fold: string; hasRight: boolean; candidates: Candidate[] };

const CUTS = [0.3, 0.4, 0.45, 0.5, 0.6];
const now = () => Date.UTC(2026, 10, 20);
const visibility = { scopes: ["shared"] };
const aliases = createAliases();

const featuresOf = ({ triggerCoverage, contextCoverage, evidence }: Relevance): number[] => [
  1,
  triggerCoverage,
  contextCoverage,
  evidence / (evidence + HALF_EVIDENCE),
];

const ask = async (
  stores: MemoryStores,
  {
    source,
    fold = source,
    context,
    right,
  }: { source: string; fold?: string; context: string; right?: number },
): Promise<Asked> => {
  const { ranked } = await retrieve({ learnings: stores.learnings, aliases, now }, { context, visibility });
  return {
    source,
    fold,
    hasRight: right !== undefined,
    candidates: ranked.slice(0, 6).map((one) => ({
      isRight: [one.learning, ...one.folded.map(({ learning }) => learning)].some(
        ({ id }) => id === `key-${right}`,
      ),
      score: one.score,
      features: featuresOf(one.relevance),
    })),
  };
};

/** Some 150 of a project's commit messages, spread over its history. */
const readMessages = (clone: string): string[] => {
  const log = execFileSync("git", ["-C", clone, "log", "--no-merges", "-n6000", "--format=%B%x00"], {
    maxBuffer: 2 ** 30,
    encoding: "utf8",
  });
  const all = log
    .split("\0")
    .map((text) => text.trim())
    .filter((text) => text.length > 30);
  const step = Math.max(1, Math.floor(all.length / 150));
  return all.filter((_, at) => at % step === 0).map((text) => text.slice(0, 4000));
};

const askAll = async (stores: MemoryStores): Promise<Asked[]> => {
  const { learnings, contexts } = readRetrievalSet();
  const foldOf = (half: string) => `own, ${half} half`;
  for (const learning of learnings) await addLearning(stores, learning, now());
  const asked: Asked[] = [];
  for (const { context, stratum, right, half } of contexts)
    asked.push(
      await ask(stores, {
        context,
        fold: foldOf(half),
        source: right === undefined ? "own: other matters" : `own: ${stratum}`,
        ...(right === undefined ? {} : { right }),
      }),
    );
  // The hardest kind: a context of the same work, asked of a store that lacks just its learning.
  for (const learning of learnings) {
    await stores.learnings.remove(
      { id: `key-${learning.key}`, visibility },
      { writer: "bench", purge: true },
    );
    for (const { context, stratum, right, half } of contexts)
      if (right === learning.key && stratum !== "project")
        asked.push(await ask(stores, { context, fold: foldOf(half), source: "own: its learning taken out" }));
    await addLearning(stores, learning, now());
  }
  for (const clone of process.argv.slice(2))
    for (const context of readMessages(clone))
      asked.push(
        await ask(stores, { context, source: `commits of ${basename(clone.replace(/\/repo\/?$/, ""))}` }),
      );
  for (const context of readCorpusPrompts())
    asked.push(await ask(stores, { context, source: "prompts of real sessions" }));
  return asked;
};

const probability = (weights: readonly number[], features: readonly number[]): number =>
  1 / (1 + Math.exp(-features.reduce((sum, value, at) => sum + value * (weights[at] ?? 0), 0)));

/** Logistic regression by gradient ascent; a paraphrase shares no word, and so says little about words. */
const fit = (asked: readonly Asked[]): number[] => {
  const samples = asked.flatMap(({ hasRight, candidates, source }) =>
    (hasRight ? candidates.filter(({ isRight }) => isRight) : candidates.slice(0, 2)).map(({ features }) => ({
      features,
      label: hasRight ? 1 : 0,
      weight: source === "own: paraphrase" ? 0.25 : 1,
    })),
  );
  const weights = [0, 0, 0, 0];
  for (let round = 0; round < 10_000; round++) {
    const slope = [0, 0, 0, 0];
    for (const { features, label, weight } of samples) {
      const error = weight * (label - probability(weights, features));
      for (const [at, value] of features.entries()) slope[at] = (slope[at] ?? 0) + error * value;
    }
    for (const [at, value] of slope.entries())
      weights[at] = (weights[at] ?? 0) + (8 * value) / samples.length;
  }
  return weights;
};

const isGiven = ({ candidates, hasRight }: Asked, weights: readonly number[], cut: number): boolean => {
  const best = candidates[0]?.score ?? 0;
  return candidates
    .filter(
      ({ score, features }) => score >= best * RELATIVE_TO_BEST && probability(weights, features) >= cut,
    )
    .slice(0, 3)
    .some(({ isRight }) => isRight || !hasRight);
};

const { stores, close } = await onSqlite(now);
const asked = await askAll(stores);
await close();
const folds = new Map(
  [...new Set(asked.map((one) => one.fold))].map((fold) => [
    fold,
    fit(asked.filter((one) => one.fold !== fold)),
  ]),
);
const weightsOf = (fold: string): number[] => folds.get(fold) ?? [];

console.log(`share that is given something, by cut-off (default ${DEFAULT_MIN_STRENGTH})`);
console.log(
  `${"".padEnd(34)}${"count".padStart(6)}  ${CUTS.map((cut) => cut.toFixed(2).padStart(7)).join("")}`,
);
for (const source of new Set(asked.map((one) => one.source))) {
  const mine = asked.filter((one) => one.source === source);
  const shares = CUTS.map(
    (cut) => (100 * mine.filter((one) => isGiven(one, weightsOf(one.fold), cut)).length) / mine.length,
  );
  const kind = mine[0]?.hasRight ? "right" : "false";
  console.log(
    `${kind} ${source.padEnd(28)}${String(mine.length).padStart(6)}  ${shares.map((share) => share.toFixed(1).padStart(7)).join("")}`,
  );
}
console.log(
  `weights fitted to all: ${fit(asked)
    .map((weight) => weight.toFixed(1))
    .join(", ")}`,
);
