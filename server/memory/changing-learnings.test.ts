import { expect, test } from "vitest";
import { ALL, DAY, describeLearnings, MINUTE } from "./fixtures/describe-learnings.ts";
import type { Learning } from "./store/learning.ts";

describeLearnings("changing", (lab) => {
  const by = (writer: string, confidence: number) => ({
    writer,
    apply: (learning: Learning) => ({
      confidence: learning.confidence + confidence,
      updatedAt: lab.now,
      verifiedAt: lab.now,
    }),
  });

  test("a change is seen by the next reader, and only where it is visible", async () => {
    const { learning } = await lab.add({ scope: "a" });
    expect(await lab.found(["kiosk"])).toEqual([learning.id]);
    expect(await lab.learnings.change(learning.id, { scopes: ["b"] }, by("bob", 0.1))).toBeUndefined();
    lab.now += MINUTE;
    const changed = await lab.learnings.change(learning.id, ALL, by("bob", 0.25));
    expect(changed).toEqual({ ...learning, confidence: 0.75, updatedAt: lab.now, verifiedAt: lab.now });
    const [seen] = await lab.learnings.candidates([{ term: "kiosk", rarity: 1 }], {
      visibility: ALL,
      limit: 5,
    });
    expect(seen?.learning).toEqual(changed);
  });

  test("removing by a filter removes what fits, and its words with it", async () => {
    await lab.add({ marker: "m", trigger: "umbra one" });
    await lab.add({ marker: "m", trigger: "umbra two" });
    const { learning: kept } = await lab.add({ trigger: "umbra three" });
    const removed = await lab.learnings.remove(
      { visibility: ALL, marker: "m" },
      { writer: "ada", purge: false },
    );
    expect(removed).toEqual(["id-1", "id-2"]);
    expect(await lab.found(["umbra"])).toEqual([kept.id]);
    expect(
      await lab.learnings.remove({ visibility: ALL, id: "id-1" }, { writer: "ada", purge: false }),
    ).toEqual([]);
    await lab.expectExactCounts();
  });

  test("undo puts back what one writer added, merged, changed and removed, and nobody else's", async () => {
    const { learning: old } = await lab.add({ trigger: "umbra" });
    const { learning: gone } = await lab.add({ trigger: "zephyr", marker: "z" });
    const { learning: bobs } = await lab.add({ trigger: "quay", writer: "bob" });
    lab.now += MINUTE;
    const since = lab.now;
    const { learning: fresh } = await lab.add({ trigger: "naive", writer: "eve" });
    await lab.add({ trigger: "umbra", writer: "eve", alternative: "call Kiosk", confidence: 1 });
    await lab.learnings.change(bobs.id, ALL, by("eve", 0.4));
    await lab.learnings.remove({ visibility: ALL, id: gone.id }, { writer: "eve", purge: false });
    lab.now += MINUTE;
    await lab.add({ trigger: "nimbus", writer: "bob" });
    const undone = await lab.learnings.undo("eve", since);
    expect(undone.removed).toEqual([fresh.id]);
    expect(undone.restored.toSorted()).toEqual([old.id, gone.id, bobs.id].toSorted());
    for (const before of [old, gone, bobs]) expect(await lab.learnings.find(before.id, ALL)).toEqual(before);
    expect(await lab.learnings.find(fresh.id, ALL)).toBeUndefined();
    expect(await lab.found(["zephyr"])).toEqual([gone.id]);
    expect(await lab.found(["kiosk"])).toEqual([]);
    expect(await lab.idsOf()).toHaveLength(4);
    expect(await lab.learnings.undo("eve", since)).toEqual({ removed: [], restored: [] });
    await lab.expectExactCounts();
  });

  test("what was purged is not put back", async () => {
    const { learning } = await lab.add();
    await lab.learnings.remove({ visibility: ALL, id: learning.id }, { writer: "ada", purge: true });
    expect(await lab.learnings.undo("ada", 0)).toEqual({ removed: [], restored: [] });
    expect(await lab.idsOf()).toEqual([]);
  });

  test("an outcome credits once, its opposite replaces it, and undo takes it back", async () => {
    const { learning: one } = await lab.add({ trigger: "umbra" });
    const { learning: two } = await lab.add({ trigger: "zephyr" });
    const credit = (outcome: string, helpful: number, harmful: number, receipt = "r") =>
      lab.learnings.credit([one.seq, two.seq, 999_999], {
        receipt,
        outcome,
        writer: "eve",
        credit: { helpful, harmful },
      });
    const credits = async () =>
      (await lab.learnings.bySeq([one.seq, two.seq], ALL)).map(({ learning }) => [
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
    await lab.learnings.undo("eve", 0);
    expect(await credits()).toEqual([
      [0, 0],
      [0, 0],
    ]);
  });

  test("sweeping forgets what expired for good, and old requests, journals and outcomes", async () => {
    const { learning: brief } = await lab.add({ trigger: "umbra", expiresAt: lab.now + MINUTE });
    const { learning: kept } = await lab.add({ trigger: "zephyr" }, { idempotencyKey: "k" });
    await lab.learnings.credit([kept.seq], {
      receipt: "r",
      outcome: "pass",
      writer: "eve",
      credit: { helpful: 1, harmful: 0 },
    });
    expect(await lab.learnings.sweep()).toEqual([]);
    lab.now += MINUTE;
    expect(await lab.learnings.sweep()).toEqual([brief.id]);
    await lab.expectExactCounts();
    expect(await lab.learnings.similarTerms("umbre")).toEqual([]);
    lab.now += 8 * DAY;
    await lab.learnings.sweep();
    expect((await lab.add({ learning: "another" }, { idempotencyKey: "k" })).status).toBe("stored");
    lab.now += 100 * DAY;
    await lab.learnings.sweep();
    expect((await lab.learnings.undo("ada", 0)).removed).toEqual([]);
    await lab.learnings.undo("eve", 0);
    expect((await lab.learnings.find(kept.id, ALL))?.helpful).toBe(1);
  });

  test("whatever happens in whatever order, the counts are exact", async () => {
    let seed = 11;
    const random = (below: number) => {
      seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
      return Math.floor((seed / 2 ** 32) * below);
    };
    const word = () => ["kiosk", "quay", "zephyr", "umbra", "nimbus", "deploy"][random(6)] ?? "";
    for (let step = 0; step < 150; step++) {
      lab.now += MINUTE;
      const ids = await lab.idsOf();
      const id = ids[random(Math.max(1, ids.length))] ?? "none";
      const writer = ["ada", "bob", "eve"][random(3)] ?? "ada";
      const what = random(10);
      if (what < 6)
        await lab.add({
          trigger: `${word()} ${word()}`,
          learning: word(),
          writer,
          ...(random(3) === 0 ? { alternative: word() } : {}),
          ...(random(4) === 0 ? { expiresAt: lab.now + random(9) * MINUTE } : {}),
        });
      else if (what === 6) await lab.learnings.change(id, ALL, by(writer, 0.01));
      else if (what === 7)
        await lab.learnings.remove({ visibility: ALL, id }, { writer, purge: random(2) === 0 });
      else if (what === 8) await lab.learnings.undo(writer, lab.now - random(9) * MINUTE);
      else await lab.learnings.sweep();
    }
    lab.now += 99 * MINUTE;
    await lab.learnings.sweep();
    expect((await lab.idsOf()).length).toBeGreaterThan(5);
    await lab.expectExactCounts();
  });
});
