import { expect, test } from "vitest";
import { ALL, describeLearnings, EVERYTHING, MINUTE } from "./fixtures/describe-learnings.ts";
import type { Learning, Visibility } from "./store/learning.ts";
import type { ListFilter } from "./store/store.ts";

describeLearnings("reading", (lab) => {
  test("everything goes through what the caller may see", async () => {
    const { learning: plain } = await lab.add({ scope: "a" });
    const { learning: own } = await lab.add({ scope: "a", project: "p", type: "failure" });
    const { learning: other } = await lab.add({ scope: "b", project: "q" });
    const { learning: brief } = await lab.add({ scope: "a", expiresAt: lab.now + MINUTE });
    lab.now += MINUTE;
    const cases: [Visibility, Learning[]][] = [
      [ALL, [plain, own, other]],
      [{ scopes: ["a"] }, [plain, own]],
      [{ scopes: ["a", "b"], project: "q" }, [plain, other]],
      [{ scopes: ["b"], project: "p" }, []],
      [{ scopes: [] }, []],
    ];
    for (const [visibility, seen] of cases) {
      const ids = seen.map(({ id }) => id);
      expect(await lab.idsOf({ visibility })).toEqual(ids);
      const page = await lab.learnings.list({ visibility }, { limit: 10, offset: 0 });
      expect(page).toEqual({ total: ids.length, learnings: [...seen].reverse() });
      expect((await lab.found(["kiosk"], visibility)).toSorted()).toEqual(ids.toSorted());
      const all = [plain, own, other, brief];
      const bySeq = await lab.learnings.bySeq(
        all.map(({ seq }) => seq),
        visibility,
      );
      expect(bySeq.map(({ learning }) => learning)).toEqual(seen);
      for (const one of all)
        expect(await lab.learnings.find(one.id, visibility)).toEqual(seen.includes(one) ? one : undefined);
      const scopes = await lab.learnings.countByScope(visibility);
      expect(Object.values(scopes).reduce((sum, count) => sum + count, 0)).toBe(ids.length);
      expect((await lab.learnings.summary(visibility)).total).toBe(ids.length);
    }
    expect(await lab.learnings.countByScope(ALL)).toEqual({ a: 2, b: 1 });
    expect(await lab.learnings.summary(ALL)).toEqual({
      total: 3,
      averageConfidence: 0.5,
      byType: { learning: 2, failure: 1 },
    });
  });

  test("filters narrow together, and pages follow each other", async () => {
    for (let at = 0; at < 30; at++)
      await lab.add({
        trigger: `port ${at}`,
        writer: at % 2 ? "bob" : "ada",
        confidence: at / 30,
        project: at % 3 ? "p" : "q",
        ...(at % 5 ? {} : { marker: "m" }),
      });
    const of = async (filter: Omit<ListFilter, "visibility">) =>
      (await lab.idsOf({ visibility: ALL, ...filter })).map((id) => Number(id.slice(3)) - 1);
    expect(await of({ writer: "bob", confidenceBelow: 0.2 })).toEqual([1, 3, 5]);
    expect(await of({ project: "q", marker: "m" })).toEqual([0, 15]);
    expect(await of({ type: "state" })).toEqual([]);
    expect(await of({ verifiedBefore: lab.now })).toEqual([]);
    expect(await of({ verifiedBefore: lab.now + 1, marker: "m" })).toHaveLength(6);
    const pages = await Promise.all(
      [0, 12, 24].map((offset) => lab.learnings.list(EVERYTHING, { limit: 12, offset })),
    );
    expect(pages.flatMap((page) => page.learnings).map(({ id }) => id)).toEqual(
      (await lab.idsOf()).toReversed(),
    );
    expect(pages.map(({ total }) => total)).toEqual([30, 30, 30]);
  });

  test("more than one batch is read oldest first, each once", async () => {
    await Promise.all(Array.from({ length: 1203 }, (_, at) => lab.add({ trigger: `port ${at}` })));
    expect(await lab.idsOf()).toEqual(Array.from({ length: 1203 }, (_, at) => `id-${at + 1}`));
  });

  test("a misspelled word has its neighbours, as long as a learning has them", async () => {
    await lab.add({ trigger: "configuring kubernetes clusters" });
    const { learning } = await lab.add({ trigger: "orchestration", learning: "of containers" });
    expect(await lab.learnings.similarTerms("orchesrt")).toEqual(["orchestr"]);
    expect(await lab.learnings.similarTerms("zzzzzz")).toEqual([]);
    expect(await lab.learnings.similarTerms("ab1")).toEqual([]);
    await lab.learnings.remove({ visibility: ALL, id: learning.id }, { writer: "ada", purge: false });
    expect(await lab.learnings.similarTerms("orchesrt")).toEqual([]);
  });
});
