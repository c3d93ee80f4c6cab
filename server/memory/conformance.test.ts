import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { analyzeLearning } from "./analysis/analyze.ts";
import { describeEngines, type OpenStores } from "./fixtures/engines.ts";
import type { Learning, NewLearning, Visibility } from "./learning.ts";
import type { AddOptions, ListFilter, MemoryStores } from "./store.ts";

const ALL: Visibility = { scopes: "all" };
const EVERYTHING: ListFilter = { visibility: ALL };
const MINUTE = 60_000;
const DAY = 86_400_000;

describeEngines((engine) => {
  let open: OpenStores;
  let learnings: MemoryStores["learnings"];
  let now: number;
  let made: number;
  beforeEach(async () => {
    now = Date.UTC(2026, 10, 20);
    made = 0;
    open = await engine.openStores(() => now);
    learnings = open.stores.learnings;
  });
  afterEach(() => open.close());

  const entryOf = (extra: Partial<NewLearning> = {}): NewLearning => ({
    id: `id-${++made}`,
    type: "learning",
    trigger: "deploying the kiosk",
    learning: "flash the firmware first",
    confidence: 0.5,
    scope: "shared",
    writer: "ada",
    createdAt: now,
    ...extra,
  });
  const add = (extra: Partial<NewLearning> = {}, options: AddOptions = {}) =>
    learnings.add(entryOf(extra), options);
  const idsOf = async (filter: ListFilter = EVERYTHING): Promise<string[]> => {
    const ids: string[] = [];
    for await (const { id } of learnings.each(filter)) ids.push(id);
    return ids;
  };
  const found = async (terms: readonly string[], visibility = ALL): Promise<string[]> =>
    (await learnings.candidates(terms, { visibility, limit: 50 })).map(({ learning }) => learning.id);

  /** Counts and totals are those of an index made from what is stored now. */
  const expectExactCounts = async (): Promise<void> => {
    const counts = new Map<string, number>();
    const totals = { documents: 0, triggerLength: 0, learningLength: 0 };
    for await (const learning of learnings.each(EVERYTHING)) {
      const analyzed = analyzeLearning(learning);
      for (const term of analyzed.terms) counts.set(term, (counts.get(term) ?? 0) + 1);
      totals.documents++;
      totals.triggerLength += analyzed.triggerLength;
      totals.learningLength += analyzed.learningLength;
    }
    expect(await learnings.totals()).toEqual(totals);
    const asked = [...counts.keys(), "gone", "firmwar", "kiosk"];
    expect(await learnings.documentsWith(asked)).toEqual(
      new Map(asked.map((term) => [term, counts.get(term) ?? 0])),
    );
  };

  describe("adding", () => {
    test("keeps every field, and gives back what it stored", async () => {
      const entry = entryOf({
        type: "failure",
        alternative: "use the other port",
        reason: "the first one is taken",
        source: "run 7",
        project: "kiosk",
        marker: "m-1",
        expiresAt: now + MINUTE,
      });
      const { learning, status } = await learnings.add(entry, {});
      expect(status).toBe("stored");
      expect(learning).toEqual({
        ...entry,
        seq: expect.any(Number),
        writers: 1,
        helpful: 0,
        harmful: 0,
        updatedAt: now,
        verifiedAt: now,
      });
      expect(await learnings.find(entry.id, ALL)).toEqual(learning);
    });

    test("numbers rise and are never used again", async () => {
      const { learning: first } = await add();
      await learnings.remove({ visibility: ALL, id: first.id }, { writer: "ada", purge: true });
      const { learning: second } = await add();
      expect(second.seq).toBeGreaterThan(first.seq);
    });

    test("what says the same is merged: surer, fuller, fresher, and counted once for each writer", async () => {
      const { learning: first } = await add();
      now += MINUTE;
      const again = await add({
        trigger: "Deploying the  Kiosk.",
        confidence: 0.9,
        writer: "bob",
        alternative: "call Zephyr",
        reason: "it bricks",
      });
      expect(again).toEqual({
        status: "merged",
        learning: {
          ...first,
          confidence: 0.9,
          writers: 2,
          alternative: "call Zephyr",
          reason: "it bricks",
          updatedAt: now,
          verifiedAt: now,
        },
      });
      const third = await add({ confidence: 0.1, writer: "bob", alternative: "call Umbra" });
      expect(third.learning).toMatchObject({ confidence: 0.9, writers: 2, alternative: "call Zephyr" });
      expect(await found(["zephyr"])).toEqual([first.id]);
      expect(await found(["umbra"])).toEqual([]);
      await expectExactCounts();
    });

    test.each([
      ["a digit", { learning: "flash the firmware 2 first" }],
      ["the scope", { scope: "other" }],
      ["the project", { project: "kiosk" }],
      ["the type", { type: "failure" }],
      ["the marker", { marker: "m" }],
      ["being ephemeral", { expiresAt: Date.UTC(2027, 0, 1) }],
    ] as const)("what differs in %s is another learning", async (_, extra) => {
      await add();
      expect((await add(extra)).status).toBe("stored");
      expect(await idsOf()).toHaveLength(2);
    });

    test("what has expired is merged with no more", async () => {
      await add({ expiresAt: now + MINUTE });
      now += 2 * MINUTE;
      expect((await add({ expiresAt: now + MINUTE })).status).toBe("stored");
    });

    test("an id that is taken stays with its first owner", async () => {
      const first = await add({ id: "mine" });
      const second = await add({ id: "mine", learning: "something else" });
      expect(first.learning.id).toBe("mine");
      expect(second.learning.id).not.toBe("mine");
      expect((await learnings.find("mine", ALL))?.learning).toBe("flash the firmware first");
    });

    test("the same idempotency key answers with the first result, or refuses another request", async () => {
      const first = await add({}, { idempotencyKey: "k" });
      const again = await add({}, { idempotencyKey: "k" });
      expect(again).toEqual({ status: "replayed", learning: first.learning });
      await expect(add({ learning: "another" }, { idempotencyKey: "k" })).rejects.toMatchObject({
        code: "conflict",
      });
      expect((await add({ writer: "bob" }, { idempotencyKey: "k" })).status).toBe("merged");
      await learnings.remove({ visibility: ALL, id: first.learning.id }, { writer: "ada", purge: false });
      expect((await add({}, { idempotencyKey: "k" })).learning.id).toBe(first.learning.id);
      expect(await idsOf()).toEqual([]);
    });

    test("links are kept once, and one to nothing leaves nothing", async () => {
      const { learning: old } = await add();
      const to = [
        { to: old.id, kind: "supersedes" },
        { to: old.id, kind: "supersedes" },
        { to: old.id, kind: "contradicts" },
      ] as const;
      const { learning: fresh } = await add({ learning: "flash it last" }, { links: to });
      expect(await learnings.linksOf([old.seq])).toEqual([
        { from: fresh.seq, to: old.seq, kind: "contradicts" },
        { from: fresh.seq, to: old.seq, kind: "supersedes" },
      ]);
      await expect(
        add({ learning: "never" }, { links: [{ to: "nobody", kind: "fixes" }] }),
      ).rejects.toMatchObject({
        code: "not-found",
      });
      expect(await idsOf()).toEqual([old.id, fresh.id]);
      await expectExactCounts();
    });

    test("many at once are all there, and one that is refused takes no other with it", async () => {
      const results = await Promise.allSettled(
        Array.from({ length: 250 }, (_, at) =>
          add({ trigger: `port ${at}` }, at % 50 === 7 ? { links: [{ to: "nobody", kind: "fixes" }] } : {}),
        ),
      );
      expect(results.filter(({ status }) => status === "rejected")).toHaveLength(5);
      expect(await idsOf()).toHaveLength(245);
      await expectExactCounts();
    });
  });

  describe("reading", () => {
    test("everything goes through what the caller may see", async () => {
      const { learning: plain } = await add({ scope: "a" });
      const { learning: own } = await add({ scope: "a", project: "p", type: "failure" });
      const { learning: other } = await add({ scope: "b", project: "q" });
      const { learning: brief } = await add({ scope: "a", expiresAt: now + MINUTE });
      now += MINUTE;
      const cases: [Visibility, Learning[]][] = [
        [ALL, [plain, own, other]],
        [{ scopes: ["a"] }, [plain, own]],
        [{ scopes: ["a", "b"], project: "q" }, [plain, other]],
        [{ scopes: ["b"], project: "p" }, []],
        [{ scopes: [] }, []],
      ];
      for (const [visibility, seen] of cases) {
        const ids = seen.map(({ id }) => id);
        expect(await idsOf({ visibility })).toEqual(ids);
        const page = await learnings.list({ visibility }, { limit: 10, offset: 0 });
        expect(page).toEqual({ total: ids.length, learnings: [...seen].reverse() });
        expect((await found(["kiosk"], visibility)).toSorted()).toEqual(ids.toSorted());
        const all = [plain, own, other, brief];
        const bySeq = await learnings.bySeq(
          all.map(({ seq }) => seq),
          visibility,
        );
        expect(bySeq.map(({ learning }) => learning)).toEqual(seen);
        for (const one of all)
          expect(await learnings.find(one.id, visibility)).toEqual(seen.includes(one) ? one : undefined);
        const scopes = await learnings.countByScope(visibility);
        expect(Object.values(scopes).reduce((sum, count) => sum + count, 0)).toBe(ids.length);
        expect((await learnings.summary(visibility)).total).toBe(ids.length);
      }
      expect(await learnings.countByScope(ALL)).toEqual({ a: 2, b: 1 });
      expect(await learnings.summary(ALL)).toEqual({
        total: 3,
        averageConfidence: 0.5,
        byType: { learning: 2, failure: 1 },
      });
    });

    test("filters narrow together, and pages follow each other", async () => {
      for (let at = 0; at < 30; at++)
        await add({
          trigger: `port ${at}`,
          writer: at % 2 ? "bob" : "ada",
          confidence: at / 30,
          project: at % 3 ? "p" : "q",
          ...(at % 5 ? {} : { marker: "m" }),
        });
      const of = async (filter: Omit<ListFilter, "visibility">) =>
        (await idsOf({ visibility: ALL, ...filter })).map((id) => Number(id.slice(3)) - 1);
      expect(await of({ writer: "bob", confidenceBelow: 0.2 })).toEqual([1, 3, 5]);
      expect(await of({ project: "q", marker: "m" })).toEqual([0, 15]);
      expect(await of({ type: "state" })).toEqual([]);
      expect(await of({ verifiedBefore: now })).toEqual([]);
      expect(await of({ verifiedBefore: now + 1, marker: "m" })).toHaveLength(6);
      const pages = await Promise.all(
        [0, 12, 24].map((offset) => learnings.list(EVERYTHING, { limit: 12, offset })),
      );
      expect(pages.flatMap((page) => page.learnings).map(({ id }) => id)).toEqual(
        (await idsOf()).toReversed(),
      );
      expect(pages.map(({ total }) => total)).toEqual([30, 30, 30]);
    });

    test("more than one batch is read oldest first, each once", async () => {
      await Promise.all(Array.from({ length: 1203 }, (_, at) => add({ trigger: `port ${at}` })));
      expect(await idsOf()).toEqual(Array.from({ length: 1203 }, (_, at) => `id-${at + 1}`));
    });

    test("a misspelled word has its neighbours, as long as a learning has them", async () => {
      await add({ trigger: "configuring kubernetes clusters" });
      const { learning } = await add({ trigger: "orchestration", learning: "of containers" });
      expect(await learnings.similarTerms("orchesrt")).toEqual(["orchestr"]);
      expect(await learnings.similarTerms("zzzzzz")).toEqual([]);
      expect(await learnings.similarTerms("ab1")).toEqual([]);
      await learnings.remove({ visibility: ALL, id: learning.id }, { writer: "ada", purge: false });
      expect(await learnings.similarTerms("orchesrt")).toEqual([]);
    });
  });

  describe("changing", () => {
    const by = (writer: string, confidence: number) => ({
      writer,
      apply: (learning: Learning) => ({
        confidence: learning.confidence + confidence,
        updatedAt: now,
        verifiedAt: now,
      }),
    });

    test("a change is seen by the next reader, and only where it is visible", async () => {
      const { learning } = await add({ scope: "a" });
      expect(await found(["kiosk"])).toEqual([learning.id]);
      expect(await learnings.change(learning.id, { scopes: ["b"] }, by("bob", 0.1))).toBeUndefined();
      now += MINUTE;
      const changed = await learnings.change(learning.id, ALL, by("bob", 0.25));
      expect(changed).toEqual({ ...learning, confidence: 0.75, updatedAt: now, verifiedAt: now });
      const [seen] = await learnings.candidates(["kiosk"], { visibility: ALL, limit: 5 });
      expect(seen?.learning).toEqual(changed);
    });

    test("removing by a filter removes what fits, and its words with it", async () => {
      await add({ marker: "m", trigger: "umbra one" });
      await add({ marker: "m", trigger: "umbra two" });
      const { learning: kept } = await add({ trigger: "umbra three" });
      const removed = await learnings.remove(
        { visibility: ALL, marker: "m" },
        { writer: "ada", purge: false },
      );
      expect(removed).toEqual(["id-1", "id-2"]);
      expect(await found(["umbra"])).toEqual([kept.id]);
      expect(
        await learnings.remove({ visibility: ALL, id: "id-1" }, { writer: "ada", purge: false }),
      ).toEqual([]);
      await expectExactCounts();
    });

    test("undo puts back what one writer added, merged, changed and removed, and nobody else's", async () => {
      const { learning: old } = await add({ trigger: "umbra" });
      const { learning: gone } = await add({ trigger: "zephyr", marker: "z" });
      const { learning: bobs } = await add({ trigger: "quay", writer: "bob" });
      now += MINUTE;
      const since = now;
      const { learning: fresh } = await add({ trigger: "naive", writer: "eve" });
      await add({ trigger: "umbra", writer: "eve", alternative: "call Kiosk", confidence: 1 });
      await learnings.change(bobs.id, ALL, by("eve", 0.4));
      await learnings.remove({ visibility: ALL, id: gone.id }, { writer: "eve", purge: false });
      now += MINUTE;
      await add({ trigger: "nimbus", writer: "bob" });
      const undone = await learnings.undo("eve", since);
      expect(undone.removed).toEqual([fresh.id]);
      expect(undone.restored.toSorted()).toEqual([old.id, gone.id, bobs.id].toSorted());
      for (const before of [old, gone, bobs]) expect(await learnings.find(before.id, ALL)).toEqual(before);
      expect(await learnings.find(fresh.id, ALL)).toBeUndefined();
      expect(await found(["zephyr"])).toEqual([gone.id]);
      expect(await found(["kiosk"])).toEqual([]);
      expect(await idsOf()).toHaveLength(4);
      expect(await learnings.undo("eve", since)).toEqual({ removed: [], restored: [] });
      await expectExactCounts();
    });

    test("what was purged is not put back", async () => {
      const { learning } = await add();
      await learnings.remove({ visibility: ALL, id: learning.id }, { writer: "ada", purge: true });
      expect(await learnings.undo("ada", 0)).toEqual({ removed: [], restored: [] });
      expect(await idsOf()).toEqual([]);
    });

    test("an outcome credits once, its opposite replaces it, and undo takes it back", async () => {
      const { learning: one } = await add({ trigger: "umbra" });
      const { learning: two } = await add({ trigger: "zephyr" });
      const credit = (outcome: string, helpful: number, harmful: number, receipt = "r") =>
        learnings.credit([one.seq, two.seq, 999_999], {
          receipt,
          outcome,
          writer: "eve",
          credit: { helpful, harmful },
        });
      const credits = async () =>
        (await learnings.bySeq([one.seq, two.seq], ALL)).map(({ learning }) => [
          learning.helpful,
          learning.harmful,
        ]);
      expect(await credit("pass", 1, 0)).toEqual({ credited: [one.id, two.id], changed: true });
      expect(await credit("pass", 1, 0)).toEqual({ credited: [one.id, two.id], changed: false });
      expect(await credits()).toEqual([
        [1, 0],
        [1, 0],
      ]);
      expect(await credit("fail", 0, 4)).toMatchObject({ changed: true });
      expect(await credits()).toEqual([
        [0, 4],
        [0, 4],
      ]);
      await credit("pass", 1, 0, "another");
      expect(await credits()).toEqual([
        [1, 4],
        [1, 4],
      ]);
      await learnings.undo("eve", 0);
      expect(await credits()).toEqual([
        [0, 0],
        [0, 0],
      ]);
    });

    test("sweeping forgets what expired for good, and old requests, journals and outcomes", async () => {
      const { learning: brief } = await add({ trigger: "umbra", expiresAt: now + MINUTE });
      const { learning: kept } = await add({ trigger: "zephyr" }, { idempotencyKey: "k" });
      await learnings.credit([kept.seq], {
        receipt: "r",
        outcome: "pass",
        writer: "eve",
        credit: { helpful: 1, harmful: 0 },
      });
      expect(await learnings.sweep()).toEqual([]);
      now += MINUTE;
      expect(await learnings.sweep()).toEqual([brief.id]);
      await expectExactCounts();
      expect(await learnings.similarTerms("umbre")).toEqual([]);
      now += 8 * DAY;
      await learnings.sweep();
      expect((await add({ learning: "another" }, { idempotencyKey: "k" })).status).toBe("stored");
      now += 100 * DAY;
      await learnings.sweep();
      expect((await learnings.undo("ada", 0)).removed).toEqual([]);
      await learnings.undo("eve", 0);
      expect((await learnings.find(kept.id, ALL))?.helpful).toBe(1);
    });

    test("whatever happens in whatever order, the counts are exact", async () => {
      let seed = 11;
      const random = (below: number) => {
        seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
        return Math.floor((seed / 2 ** 32) * below);
      };
      const word = () => ["kiosk", "quay", "zephyr", "umbra", "nimbus", "deploy"][random(6)] ?? "";
      for (let step = 0; step < 150; step++) {
        now += MINUTE;
        const ids = await idsOf();
        const id = ids[random(Math.max(1, ids.length))] ?? "none";
        const writer = ["ada", "bob", "eve"][random(3)] ?? "ada";
        const what = random(10);
        if (what < 6)
          await add({
            trigger: `${word()} ${word()}`,
            learning: word(),
            writer,
            ...(random(3) === 0 ? { alternative: word() } : {}),
            ...(random(4) === 0 ? { expiresAt: now + random(9) * MINUTE } : {}),
          });
        else if (what === 6) await learnings.change(id, ALL, by(writer, 0.01));
        else if (what === 7)
          await learnings.remove({ visibility: ALL, id }, { writer, purge: random(2) === 0 });
        else if (what === 8) await learnings.undo(writer, now - random(9) * MINUTE);
        else await learnings.sweep();
      }
      now += 99 * MINUTE;
      await learnings.sweep();
      expect((await idsOf()).length).toBeGreaterThan(5);
      await expectExactCounts();
    });
  });
});
