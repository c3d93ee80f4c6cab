// What /inject gives and misses on contexts that nothing was tuned on, by source and by kind of context.
// Run with: npx bun bench/retrieval-blind.ts [--verbose]
import { DEFAULT_MIN_STRENGTH } from "../server/memory/ranking/evidence.ts";
import { type BlindContext, readBlindSet } from "./blind-set/read.ts";
import { injectedAt, rankAll } from "./retrieval-set/evaluate.ts";
import { readRetrievalSet } from "./retrieval-set/parse.ts";

const CUTS = [0.3, 0.4, DEFAULT_MIN_STRENGTH, 0.5, 0.6];
const MOST_GIVEN = 5;
const set = readBlindSet();

type Asked = BlindContext & { given: number[][][]; strength: number };

/** What each context is given at each cut-off, asked of a memory that holds these learnings. */
const askAll = async (
  learnings: Parameters<typeof rankAll>[0],
  contexts: readonly BlindContext[],
): Promise<Asked[]> => {
  const answered = await rankAll(learnings, contexts);
  return answered.map((one) => ({
    ...one,
    given: CUTS.map((cut) => injectedAt(one, cut).slice(0, MOST_GIVEN)),
    strength: one.ranked[0]?.strength ?? 0,
  }));
};

const isGiven = ({ given, right }: Asked, cut: number): boolean =>
  (given[cut] ?? []).some((keys) => right === undefined || keys.includes(right));

const print = (name: string, asked: readonly Asked[]): void => {
  const shares = CUTS.map((_, cut) => {
    const share = asked.filter((one) => isGiven(one, cut)).length / asked.length;
    return `${(100 * share).toFixed(1)} %`.padStart(9);
  });
  console.log(`${name.padEnd(34)}${String(asked.length).padStart(5)} ${shares.join("")}`);
};

const report = (name: string, asked: readonly Asked[]): void => {
  console.log(`\n${name}\n${"cut-off".padEnd(40)}${CUTS.map((cut) => cut.toFixed(2).padStart(9)).join("")}`);
  for (const kind of ["words", "forms", "identifier", "long", "short"] as const)
    print(
      `found: ${kind}`,
      asked.filter((one) => one.kind === kind),
    );
  for (const source of new Set(set.contexts.map((one) => one.source))) {
    const mine = asked.filter((one) => one.source === source);
    print(
      `found: ${source}`,
      mine.filter(({ right }) => right !== undefined),
    );
    print(
      `false: ${source}`,
      mine.filter(({ right }) => right === undefined),
    );
  }
  print(
    "found: all",
    asked.filter(({ right }) => right !== undefined),
  );
  print(
    "false: all",
    asked.filter(({ right }) => right === undefined),
  );
};

const inOne = await askAll(set.learnings, set.contexts);
report("all sources in one memory", inOne);
const own = readRetrievalSet().learnings.map((one) => ({ ...one, key: one.key + set.learnings.length }));
report(
  "the same beside the 177 learnings of our own set",
  await askAll([...set.learnings, ...own], set.contexts),
);
const without: Asked[] = [];
for (const { key } of set.learnings)
  without.push(
    ...(await askAll(
      set.learnings.filter((one) => one.key !== key),
      set.contexts.flatMap(({ right, ...one }) => (right === key ? [one] : [])),
    )),
  );
print("\nfalse: their learning taken out", without);
if (process.argv.includes("--verbose"))
  for (const one of inOne)
    if (isGiven(one, CUTS.indexOf(DEFAULT_MIN_STRENGTH)) !== (one.right !== undefined))
      console.log(
        `${one.right === undefined ? "FALSE" : "MISS"} ${one.strength.toFixed(2)} ${one.context.slice(0, 100)}`,
      );
