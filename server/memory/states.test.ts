import { afterEach, beforeEach, expect, test } from "vitest";
import { describeEngines, type OpenStores } from "./fixtures/engines.ts";
import type { MemoryStores } from "./store/store.ts";

describeEngines((engine) => {
  let open: OpenStores;
  let stores: MemoryStores;
  let now: number;
  beforeEach(async () => {
    now = Date.UTC(2026, 10, 20);
    open = await engine.openStores(() => now);
    stores = open.stores;
  });
  afterEach(() => open.close());

  const change = (status: string, expected?: number, project = "acme/api") =>
    stores.states.change(project, {
      writer: "ada",
      expected,
      apply: (present) => ({ status, state: { ...present?.state, [status]: ["a", { b: 1 }] } }),
    });

  test("a state grows by revisions, each made from the one before", async () => {
    expect(await stores.states.find("acme/api")).toBeUndefined();
    const createdAt = now;
    const first = await change("planned", 0);
    now += 1000;
    const second = await change("done", 1);
    await change("other", undefined, "acme/web");
    expect(second).toEqual({
      project: "acme/api",
      revision: 2,
      status: "done",
      state: { planned: ["a", { b: 1 }], done: ["a", { b: 1 }] },
      updatedBy: "ada",
      createdAt,
      updatedAt: now,
    });
    expect(await stores.states.find("acme/api")).toEqual(second);
    expect(await stores.states.revisions("acme/api", 9)).toEqual([second, first]);
    expect(await stores.states.revisions("acme/api", 1)).toEqual([second]);
  });

  test("a change of a state that is not the present one is refused and leaves nothing", async () => {
    await change("planned");
    for (const expected of [0, 2])
      await expect(change("never", expected)).rejects.toMatchObject({
        code: "precondition-failed",
        details: { revision: 1 },
      });
    await expect(
      stores.states.change("acme/api", {
        writer: "ada",
        apply: () => {
          throw new Error("no");
        },
      }),
    ).rejects.toThrow("no");
    expect(await stores.states.revisions("acme/api", 9)).toHaveLength(1);
    const changes = await Promise.allSettled(Array.from({ length: 20 }, () => change("raced", 1)));
    expect(changes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    await Promise.all(Array.from({ length: 20 }, () => change("counted")));
    expect((await stores.states.find("acme/api"))?.revision).toBe(22);
  });

  test("a session has one handoff, found by its id and by the session, the newest listed first", async () => {
    const first = await stores.handoffs.put("s-1", { summary: "half" }, "ada");
    now += 1000;
    const other = await stores.handoffs.put("s-2", { summary: "else" }, "ada");
    now += 1000;
    const again = await stores.handoffs.put("s-1", { summary: "whole", list: [1] }, "bob");
    expect(again).toEqual({ ...first, body: { summary: "whole", list: [1] }, updatedAt: now });
    for (const key of [first.id, "s-1"]) expect(await stores.handoffs.find(key)).toEqual(again);
    expect(await stores.handoffs.find("s-3")).toBeUndefined();
    expect(await stores.handoffs.list(9)).toEqual([again, other]);
    expect(await stores.handoffs.list(1)).toEqual([again]);
  });

  test("a setting is made once", async () => {
    const made = await Promise.all(
      Array.from({ length: 10 }, (_, at) => stores.settings.getOrMake("secret", () => `value ${at}`)),
    );
    expect(new Set(made).size).toBe(1);
    expect(await stores.settings.getOrMake("secret", () => "another")).toBe(made[0]);
    expect(await stores.settings.getOrMake("other", () => "another")).toBe("another");
  });

  test("vectors are kept by model, for learnings that are there", async () => {
    const add = async (id: string) =>
      (
        await stores.learnings.add(
          {
            id,
            type: "learning",
            trigger: `trigger ${id}`,
            learning: "text",
            confidence: 1,
            scope: "shared",
            writer: "ada",
            createdAt: now,
          },
          {},
        )
      ).learning.seq;
    const [one, two] = [await add("one"), await add("two")];
    expect(await stores.vectors.missing("m", 9)).toEqual([
      { seq: two, text: "trigger two\ntext" },
      { seq: one, text: "trigger one\ntext" },
    ]);
    const vector = Float32Array.from([0.5, -1.25, 3e-8]);
    await stores.vectors.put("m", [
      { seq: one, vector },
      { seq: 999_999, vector },
    ]);
    expect(await stores.vectors.load("m")).toEqual([{ seq: one, vector }]);
    expect((await stores.vectors.missing("m", 9)).map(({ seq }) => seq)).toEqual([two]);
    expect(await stores.vectors.load("other")).toEqual([]);
    await stores.vectors.put("other", [{ seq: one, vector: Float32Array.from([1]) }]);
    expect(await stores.vectors.load("m")).toEqual([]);
    await stores.learnings.remove(
      { visibility: { scopes: "all" }, id: "one" },
      { writer: "ada", purge: false },
    );
    expect(await stores.vectors.load("other")).toEqual([]);
  });
});
