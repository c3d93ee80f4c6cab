import { beforeAll, expect, test } from "vitest";
import { type BlindContext, readBlindSet } from "../../bench/blind-set/read.ts";
import {
  type Answered,
  falseInjections,
  figuresOf,
  injectedAt,
  rankAll,
} from "../../bench/retrieval-set/evaluate.ts";
import { readRetrievalSet, type Stratum } from "../../bench/retrieval-set/parse.ts";
import { createPlainBm25 } from "../../bench/retrieval-set/plain-bm25.ts";
import { DEFAULT_MIN_STRENGTH } from "./ranking/evidence.ts";
import { describeEngines } from "./fixtures/engines.ts";

// The half that nothing was tuned on.
const set = readRetrievalSet();
const isHeldBack = ({ half }: Answered) => half === "test";

describeEngines((engine) => {
  let answered: Answered[];
  beforeAll(async () => {
    answered = (await rankAll(set.learnings, set.contexts, engine.openStores)).filter(isHeldBack);
  });

  const SHARED_WORDS: Stratum[] = ["exact", "forms", "issue", "project"];
  const of = (strata: readonly Stratum[]) => answered.filter(({ stratum }) => strata.includes(stratum));
  const rightOf = (right: number | undefined) => (right === undefined ? {} : { right });
  const ours = (strata: readonly Stratum[]) =>
    figuresOf(
      of(strata).map(({ right, ranked }) => ({ ...rightOf(right), answers: ranked.map(({ keys }) => keys) })),
    );

  test("finds the right learning among its first three where words are shared", () => {
    expect(ours(SHARED_WORDS).hit3).toBeGreaterThanOrEqual(0.9);
  });

  test("ranks better than plain BM25 for other word forms, long issues, projects and paraphrases", () => {
    const plain = createPlainBm25(
      set.learnings.map(({ trigger, learning, project }) => `${trigger} ${learning} ${project ?? ""}`),
    );
    for (const stratum of ["forms", "issue", "project", "paraphrase"] as const) {
      const theirs = figuresOf(
        of([stratum]).map(({ right, context }) => ({
          ...rightOf(right),
          answers: plain(context, 10).map((key) => [key]),
        })),
      );
      expect(ours([stratum]).mrr, stratum).toBeGreaterThan(theirs.mrr + 0.05);
    }
  });

  test("gives little where nothing is right, and still finds what is right", () => {
    expect(falseInjections(answered, DEFAULT_MIN_STRENGTH)).toBeLessThanOrEqual(0.1);
    const injected = figuresOf(
      of(SHARED_WORDS).map((one) => ({
        ...rightOf(one.right),
        answers: injectedAt(one, DEFAULT_MIN_STRENGTH),
      })),
    );
    expect(injected.hit3).toBeGreaterThanOrEqual(0.8);
  });

  test("keeps to that on contexts of other people's work, written before anything was measured on them", async () => {
    const { learnings, contexts } = readBlindSet();
    const asked = await rankAll<BlindContext>(learnings, contexts, engine.openStores);
    const given = asked.map((one) => ({ ...one, given: injectedAt(one, DEFAULT_MIN_STRENGTH).flat() }));
    const none = given.filter(({ right }) => right === undefined);
    const some = given.filter(({ right }) => right !== undefined);
    expect(none.length).toBeGreaterThanOrEqual(80);
    expect(none.filter((one) => one.given.length > 0).length / none.length).toBeLessThanOrEqual(0.08);
    const found = some.filter(({ right = -1, given: keys }) => keys.includes(right));
    expect(found.length / some.length).toBeGreaterThanOrEqual(0.85);
  });

  if (engine.name !== "SQLite")
    test("answers as SQLite does, context by context", async () => {
      const onSqlite = (await rankAll(set.learnings, set.contexts)).filter(isHeldBack);
      const differing = answered.filter((one, at) => !isSame(one, onSqlite[at]));
      expect(differing.map(({ context }) => context)).toEqual([]);
    });
});

const isSame = (one: Answered, other: Answered | undefined): boolean =>
  JSON.stringify(injectedAt(one, DEFAULT_MIN_STRENGTH)) ===
    JSON.stringify(other && injectedAt(other, DEFAULT_MIN_STRENGTH)) &&
  JSON.stringify(one.ranked.map(({ keys }) => keys)) ===
    JSON.stringify(other?.ranked.map(({ keys }) => keys));

test("the set is large enough to say something", () => {
  expect(set.learnings.length).toBeGreaterThanOrEqual(150);
  expect(set.contexts.length).toBeGreaterThanOrEqual(300);
});
