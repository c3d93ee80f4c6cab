// Retrieval quality: the memory's ranking beside plain BM25, and what abstaining costs and saves.
// Run with: npx bun bench/retrieval.ts
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DEFAULT_MIN_STRENGTH } from "../server/memory/ranking/evidence.ts";
import { type Answered, falseInjections, figuresOf, injectedAt, rankAll } from "./retrieval-set/evaluate.ts";
import {
  readRetrievalSet,
  type RetrievalSet,
  type SetContext,
  type SetLearning,
} from "./retrieval-set/parse.ts";
import { createPlainBm25 } from "./retrieval-set/plain-bm25.ts";

const percent = (value: number): string => `${(100 * value).toFixed(1)} %`.padStart(8);
const verbose = process.argv.includes("--verbose");

/** Notes of random words of the set itself, as long as its own: as many rivals for every word as a large store has. */
const makeOthers = (
  { learnings, contexts }: RetrievalSet,
  { count, seed: firstSeed }: { count: number; seed: number },
): SetLearning[] => {
  const words = [
    ...learnings.map(({ trigger, learning }) => `${trigger} ${learning}`),
    ...contexts.map(({ context }) => context),
  ]
    .join(" ")
    .split(/\s+/);
  let seed = firstSeed;
  const below = (count: number) => (seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0) % count;
  const asLongAs = (text: string) =>
    Array.from(text.split(/\s+/), () => words[below(words.length)] ?? "").join(" ");
  return Array.from({ length: count }, (_, at) => {
    const { trigger = "", learning = "" } = learnings[below(learnings.length)] ?? {};
    return {
      key: learnings.length + at,
      trigger: asLongAs(trigger),
      learning: asLongAs(learning),
    };
  });
};

const compare = async (name: string, { learnings, contexts }: RetrievalSet): Promise<Answered[]> => {
  const answered = await rankAll(learnings, contexts);
  const plain = createPlainBm25(
    learnings.map(({ trigger, learning, project }) => `${trigger} ${learning} ${project ?? ""}`),
  );
  console.log(`\n${name}: ${learnings.length} learnings, ${contexts.length} contexts`);
  console.log("half  stratum     contexts   hit@1    hit@3     MRR    | plain BM25 hit@1  hit@3     MRR");
  const strata = [...new Set(contexts.map(({ stratum }) => stratum))].filter((stratum) => stratum !== "none");
  for (const half of ["dev", "test"] as const)
    for (const stratum of [...strata, "all"]) {
      const mine = answered.filter(
        (one) => one.half === half && (stratum === "all" || one.stratum === stratum),
      );
      const ours = figuresOf(
        mine.map(({ right, ranked }) => ({ ...rightOf(right), answers: ranked.map(({ keys }) => keys) })),
      );
      const theirs = figuresOf(
        mine.map(({ right, context }) => ({
          ...rightOf(right),
          answers: plain(context, 10).map((at) => [learnings[at]?.key ?? -1]),
        })),
      );
      if (ours.contexts === 0) continue;
      console.log(
        `${half.padEnd(5)} ${stratum.padEnd(12)} ${String(ours.contexts).padStart(6)} ${percent(ours.hit1)} ${percent(ours.hit3)} ${ours.mrr.toFixed(3).padStart(7)}  |        ${percent(theirs.hit1)} ${percent(theirs.hit3)} ${theirs.mrr.toFixed(3).padStart(7)}`,
      );
    }
  return answered;
};

const rightOf = (right: number | undefined) => (right === undefined ? {} : { right });

const sharesWords = ({ stratum }: SetContext): boolean => stratum !== "paraphrase" && stratum !== "none";

const printCurve = (answered: readonly Answered[]): void => {
  console.log(
    "\n/inject by cut-off: false injections on contexts for which nothing is right, hit@3 on the others",
  );
  console.log(
    "cut-off   dev: false  hit@3 (words shared)  hit@3 (paraphrase) | test: false  hit@3 (words shared)  hit@3 (paraphrase)",
  );
  for (let cut = 0; cut <= 0.9001; cut += 0.05) {
    const cells = (["dev", "test"] as const).map((half) => {
      const mine = answered.filter((one) => one.half === half);
      const at = (fits: (one: Answered) => boolean) =>
        figuresOf(mine.filter(fits).map((one) => ({ ...rightOf(one.right), answers: injectedAt(one, cut) })))
          .hit3;
      return `${percent(falseInjections(mine, cut))}   ${percent(at(sharesWords))}              ${percent(at(({ stratum }) => stratum === "paraphrase"))}       `;
    });
    const mark = Math.abs(cut - DEFAULT_MIN_STRENGTH) < 0.001 ? "<- default" : "";
    console.log(`${cut.toFixed(2)}     ${cells.join(" |  ")} ${mark}`);
  }
};

const printMisses = (answered: readonly Answered[], set: RetrievalSet): void => {
  for (const { context, right, ranked, stratum, half } of answered) {
    if (half !== "dev") continue;
    if (right === undefined) {
      if ((ranked[0]?.strength ?? 0) >= DEFAULT_MIN_STRENGTH)
        console.log(
          `FALSE ${ranked[0]?.strength.toFixed(2)} "${context.slice(0, 80)}" -> ${set.learnings[ranked[0]?.keys[0] ?? 0]?.trigger}`,
        );
    } else if (!ranked[0]?.keys.includes(right))
      console.log(
        `${stratum} rank ${ranked.findIndex(({ keys }) => keys.includes(right)) + 1} "${context.slice(0, 80)}" wants "${set.learnings[right]?.trigger}", got "${set.learnings[ranked[0]?.keys[0] ?? -1]?.trigger}"`,
      );
    else if ((ranked[0]?.strength ?? 0) < DEFAULT_MIN_STRENGTH)
      console.log(`WEAK ${ranked[0]?.strength.toFixed(2)} ${stratum} "${context.slice(0, 80)}"`);
  }
};

const corpus = [process.env["NIGHTSHIFT_CORPUS"], join(import.meta.dirname, "../../shared/corpus")].find(
  (folder) => folder !== undefined && existsSync(join(folder, "memory")),
);

type DejaEval = {
  memories: { trigger: string; learning: string }[];
  queries: { context: string; expected_ids: number[] }[];
};
type Devbench = {
  memories: { content: string; tags: string[] }[];
  queries: { question: string; expected_tags: string[] }[];
};

/** 200 templated memories of the predecessor's own evaluation; a negative is a context without an expected id. */
const readDejaEval = (folder: string): RetrievalSet => {
  const { memories, queries } = JSON.parse(
    readFileSync(join(folder, "memory/deja-eval/dataset.json"), "utf8"),
  ) as DejaEval;
  return {
    learnings: memories.map(({ trigger, learning }, key) => ({ key, trigger, learning })),
    contexts: queries.map(({ context, expected_ids: [right] }) => ({
      context,
      stratum: right === undefined ? "none" : "exact",
      ...(right === undefined ? {} : { right }),
      half: "test",
    })),
  };
};

/** 30 developer memories without triggers: the first sentence stands for one. */
const readDevbench = (folder: string): RetrievalSet => {
  const file = join(folder, "memory/devbench/devbench_dataset.json");
  const { memories, queries } = JSON.parse(readFileSync(file, "utf8")) as Devbench;
  return {
    learnings: memories.map(({ content }, key) => {
      const [trigger = content, ...rest] = content.split(/(?<=[.!?])\s/);
      return { key, trigger, learning: rest.join(" ") || content };
    }),
    contexts: queries.flatMap(({ question, expected_tags }) => {
      const right = memories.findIndex(({ tags }) => expected_tags.some((tag) => tags.includes(tag)));
      return right < 0
        ? []
        : [{ context: question, stratum: "exact" as const, right, half: "test" as const }];
    }),
  };
};

const set = readRetrievalSet();
const answered = await compare("own set", set);
printCurve(answered);
if (verbose) printMisses(answered, set);
const option = (name: string, otherwise: number): number =>
  Number(process.argv[process.argv.indexOf(name) + 1]) || otherwise;
const crowd = option("--others", 2000);
await compare(`own set among ${crowd} notes of random words of its own`, {
  learnings: [...makeOthers(set, { count: crowd, seed: option("--seed", 11) }), ...set.learnings],
  contexts: set.contexts.filter(({ right }) => right !== undefined),
});
if (corpus === undefined) console.log("\nskipped: deja-eval and devbench (no corpus beside the checkout)");
else {
  const deja = await compare("deja-eval", readDejaEval(corpus));
  console.log(
    `false injections on its ${deja.filter(({ right }) => right === undefined).length} negatives at the default cut-off: ${percent(falseInjections(deja, DEFAULT_MIN_STRENGTH))}`,
  );
  await compare("devbench", readDevbench(corpus));
}
