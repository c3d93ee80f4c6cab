import { afterEach, beforeEach, expect, test } from "vitest";
import { analyzeLearning } from "./analysis/analyze.ts";
import { describeEngines, type OpenStores } from "./fixtures/engines.ts";
import type { Learning, Visibility } from "./store/learning.ts";
import { type AskedTerm, inUnits, type MemoryStores } from "./store/store.ts";

const NOW = Date.UTC(2026, 10, 20);
let open: OpenStores;
let learnings: MemoryStores["learnings"];

const createRandom = (seed: number) => (below: number) => {
  seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
  return Math.floor((seed / 2 ** 32) * below);
};

const add = async (trigger: string, learning: string, extra: Partial<Learning> = {}): Promise<Learning> => {
  const id = `id-${Math.random()}`;
  const added = await learnings.add(
    {
      id,
      type: "learning",
      trigger,
      learning,
      confidence: 1,
      scope: "a",
      writer: "w",
      createdAt: NOW,
      ...extra,
    },
    {},
  );
  return added.learning;
};

const ALL: Visibility = { scopes: "all" };
/** As rare as they are: what a search is given with its terms. */
const weigh = async (terms: readonly string[]): Promise<AskedTerm[]> => {
  const counts = await learnings.documentsWith(terms);
  const { documents } = await learnings.totals();
  return terms.map((term) => ({ term, rarity: rarity(documents, counts.get(term) ?? 0) }));
};
const rarity = (all: number, having: number): number => Math.log(1 + (all - having + 0.5) / (having + 0.5));
const seqsOf = async (terms: readonly string[], visibility: Visibility, limit: number): Promise<number[]> =>
  (await learnings.candidates(await weigh(terms), { visibility, limit })).map(({ learning }) => learning.seq);

/** The same choice, made by looking at every learning. */
const choose = (
  stored: readonly Learning[],
  terms: readonly string[],
  { visibility: { scopes, project }, limit }: { visibility: Visibility; limit: number },
): number[] => {
  const entries = stored.map((learning) => ({ learning, analyzed: analyzeLearning(learning) }));
  const rarityOf = (term: string): number => {
    const having = entries.filter(({ analyzed }) => analyzed.terms.includes(term)).length;
    return inUnits(rarity(entries.length, having));
  };
  return entries
    .filter(({ learning }) => scopes === "all" || scopes.includes(learning.scope))
    .filter(({ learning }) => project === undefined || [project, undefined].includes(learning.project))
    .map(({ learning, analyzed }) => {
      let sum = 0;
      for (const term of terms) {
        const at = analyzed.terms.indexOf(term);
        if (at < 0) continue;
        sum += rarityOf(term);
        if (at < analyzed.triggerTerms) sum += rarityOf(term) / 2;
      }
      return { seq: learning.seq, sum };
    })
    .filter(({ sum }) => sum > 0)
    .sort((a, b) => b.sum - a.sum || b.seq - a.seq)
    .slice(0, limit)
    .map(({ seq }) => seq);
};

describeEngines((engine) => {
  beforeEach(async () => {
    open = await engine.openStores(() => NOW);
    learnings = open.stores.learnings;
  });
  afterEach(() => open.close());

  test("a learning is found behind hundreds of older ones that share a word with it", async () => {
    for (let at = 0; at < 200; at++) await add(`deploying service ${at}`, "read the runbook");
    const wanted = await add("deploying the kiosk service", "flash the firmware first");
    await add("deploying another service", "read the runbook too");
    expect((await seqsOf(["deploi", "servic", "kiosk"], ALL, 80))[0]).toBe(wanted.seq);
  });

  test(
    "gives the same candidates as a look at every learning, while learnings come, change and go",
    { tags: ["long"] },
    async () => {
      const random = createRandom(5);
      const word = () => ["kiosk", "quay", "Straße", "日本語", "naïve", "zephyr", "umbra"][random(7)] ?? "";
      const some = (count: number) => Array.from({ length: count }, word).join(" ");
      const terms = [
        "kiosk",
        "quay",
        "strasse",
        "straße",
        "日本",
        "本語",
        "naiv",
        "zephyr",
        "umbra",
        "absent",
      ];
      const visibilities: Visibility[] = [
        ALL,
        { scopes: ["a"] },
        { scopes: ["b", "c"], project: "p" },
        { scopes: ["a", "b"], project: "q" },
        { scopes: [] },
      ];
      let stored: Learning[] = [];
      for (let round = 0; round < 60; round++) {
        const what = random(4);
        const old = stored[random(Math.max(1, stored.length))];
        if (what < 3 || !old) {
          const project = ["p", "q", undefined][random(3)];
          const extra = { scope: ["a", "b", "c"][random(3)] ?? "a", ...(project ? { project } : {}) };
          stored.push(await add(`${some(1 + random(3))} ${round}`, some(1 + random(4)), extra));
        } else {
          await learnings.remove({ visibility: ALL, id: old.id }, { writer: "w", purge: false });
          stored = stored.filter(({ id }) => id !== old.id);
        }
        const asked = terms.filter(() => random(2) === 0);
        for (const visibility of visibilities)
          for (const limit of [3, 100])
            expect(await seqsOf(asked, visibility, limit)).toEqual(
              choose(stored, asked, { visibility, limit }),
            );
      }
      const { restored } = await learnings.undo("w", 0);
      expect(restored).toEqual([]);
      expect(await seqsOf(terms, ALL, 100)).toEqual([]);
    },
  );

  test("what is of another type, or less sure, takes no place from what is asked for", async () => {
    const wanted = await add("deploying the kiosk", "it failed", { type: "failure", confidence: 0.9 });
    for (let at = 0; at < 200; at++)
      await add(`deploying the kiosk ${at}`, "read the runbook", { confidence: 0.2 });
    const asked = await weigh(["deploi", "kiosk"]);
    const found = async (more: object): Promise<number[]> =>
      (await learnings.candidates(asked, { visibility: ALL, limit: 80, ...more })).map(
        ({ learning }) => learning.seq,
      );
    expect(await found({})).not.toContain(wanted.seq);
    expect(await found({ types: ["failure"] })).toEqual([wanted.seq]);
    expect(await found({ minConfidence: 0.5 })).toEqual([wanted.seq]);
    expect(await found({ types: ["state"] })).toEqual([]);
  });

  test("a learning that is put back is found at its old place", async () => {
    const all: Learning[] = [];
    for (const text of ["one", "two", "three", "four"]) all.push(await add("kiosk zephyr", text));
    const newestFirst = all.map(({ seq }) => seq).reverse();
    expect(await seqsOf(["kiosk", "zephyr"], ALL, 9)).toEqual(newestFirst);
    const [, second] = all;
    await learnings.remove({ visibility: ALL, id: second?.id ?? "" }, { writer: "other", purge: false });
    expect(await seqsOf(["kiosk", "zephyr"], ALL, 9)).toEqual(
      newestFirst.filter((seq) => seq !== second?.seq),
    );
    expect((await learnings.undo("other", 0)).restored).toHaveLength(1);
    expect(await seqsOf(["kiosk", "zephyr"], ALL, 9)).toEqual(newestFirst);
    const { seq } = await add("zephyr", "five");
    expect(await seqsOf(["zephyr"], ALL, 9)).toEqual([seq, ...newestFirst]);
  });
});
