// @module-tag long

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hasPostgres } from "../../../test/postgres/find-postgres.ts";
import { startPostgres, type TestPostgres } from "../../../test/postgres/start-postgres.ts";
import { analyzeLearning } from "../analysis/analyze.ts";
import { type OpenStores, openPostgresStores } from "../fixtures/engines.ts";
import type { NewLearning, Visibility } from "../store/learning.ts";
import type { AddOptions, MemoryStores } from "../store/store.ts";

/** How often each race is run: all of it in CI, a sample elsewhere. */
const ROUNDS = Number(process.env["NIGHTSHIFT_RACES"] ?? (process.env["CI"] ? 50 : 40));
const ALL: Visibility = { scopes: "all" };

describe.skipIf(!hasPostgres)(`two servers on one database, ${ROUNDS} rounds`, () => {
  let server: TestPostgres;
  const open: OpenStores[] = [];
  let stores: MemoryStores[];
  beforeAll(async () => {
    server = await startPostgres();
    const url = await server.createDatabase();
    for (let at = 0; at < 2; at++) open.push(await openPostgresStores(url, Date.now));
    stores = open.map((one) => one.stores);
  });
  afterAll(async () => {
    for (const one of open) await one.close();
    await server.stop();
  });

  let made = 0;
  const entryOf = (extra: Partial<NewLearning>): NewLearning => ({
    id: `id-${++made}`,
    type: "learning",
    trigger: `round ${made}`,
    learning: "what to do",
    confidence: 0.5,
    scope: "shared",
    writer: "ada",
    createdAt: Date.now(),
    ...extra,
  });
  /** two requests to each server at once */
  const race = <T>(request: (stores: MemoryStores, at: number) => Promise<T>) =>
    Promise.allSettled([...stores, ...stores].map((one, at) => request(one, at)));
  const valuesOf = <T>(results: readonly PromiseSettledResult<T>[]): T[] =>
    results.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
  const codesOf = (results: readonly PromiseSettledResult<unknown>[]): unknown[] =>
    results.flatMap((result) =>
      result.status === "rejected" ? [(result.reason as { code?: string }).code ?? result.reason] : [],
    );
  const rounds = async (run: (round: number) => Promise<void>): Promise<void> => {
    for (let round = 0; round < ROUNDS; round++) await run(round);
  };

  const expectExactCounts = async (): Promise<void> => {
    const counts = new Map<string, number>();
    let documents = 0;
    for (const one of stores) {
      counts.clear();
      documents = 0;
      for await (const learning of one.learnings.each({ visibility: ALL })) {
        documents++;
        for (const term of analyzeLearning(learning).terms) counts.set(term, (counts.get(term) ?? 0) + 1);
      }
      expect((await one.learnings.totals()).documents).toBe(documents);
      expect(await one.learnings.documentsWith([...counts.keys()])).toEqual(counts);
    }
  };

  test("the same text told at once is one learning", async () => {
    await rounds(async (round) => {
      const results = valuesOf(
        await race(({ learnings }, at) =>
          learnings.add(entryOf({ trigger: `same text ${round}`, writer: `writer ${at}` }), {}),
        ),
      );
      expect(results.map(({ status }) => status).toSorted()).toEqual([
        "merged",
        "merged",
        "merged",
        "stored",
      ]);
      expect(new Set(results.map(({ learning }) => learning.id)).size).toBe(1);
      const [stored] = results;
      expect(await stores[0]?.learnings.find(stored?.learning.id ?? "", ALL)).toMatchObject({ writers: 4 });
    });
    await expectExactCounts();
  });

  test("one idempotency key stores once, and refuses another request", async () => {
    await rounds(async (round) => {
      const options: AddOptions = { idempotencyKey: `same ${round}` };
      const entry = entryOf({ trigger: `keyed ${round}` });
      const same = valuesOf(
        await race(({ learnings }) => learnings.add({ ...entry, id: `k-${++made}` }, options)),
      );
      expect(same.map(({ status }) => status).toSorted()).toEqual([
        "replayed",
        "replayed",
        "replayed",
        "stored",
      ]);
      expect(new Set(same.map(({ learning }) => learning.id)).size).toBe(1);
      const different = await race(({ learnings }, at) =>
        learnings.add(entryOf({ trigger: `keyed ${round} by ${at}` }), { idempotencyKey: `other ${round}` }),
      );
      expect(valuesOf(different).map(({ status }) => status)).toEqual(["stored"]);
      expect(codesOf(different)).toEqual(["conflict", "conflict", "conflict"]);
    });
    await expectExactCounts();
  });

  test("a state changes once for everybody who read the same revision", async () => {
    await rounds(async (round) => {
      const results = await race(({ states }, at) =>
        states.change("raced", {
          writer: `writer ${at}`,
          expected: round,
          apply: () => ({ status: `by ${at}`, state: {} }),
        }),
      );
      expect(valuesOf(results).map(({ revision }) => revision)).toEqual([round + 1]);
      expect(codesOf(results)).toEqual(Array.from({ length: 3 }, () => "precondition-failed"));
    });
    await rounds(async () => {
      const results = await race(({ states }) =>
        states.change("counted", { writer: "ada", apply: () => ({ status: "x", state: {} }) }),
      );
      expect(codesOf(results)).toEqual([]);
    });
    expect((await stores[0]?.states.find("counted"))?.revision).toBe(4 * ROUNDS);
  });

  test("a receipt is credited once, whoever brings it", async () => {
    const added = await stores[0]?.learnings.add(entryOf({}), {});
    const seq = added?.learning.seq ?? 0;
    await rounds(async (round) => {
      const results = valuesOf(
        await race(({ learnings }) =>
          learnings.credit([seq], {
            receipt: `receipt ${round}`,
            outcome: "pass",
            writer: "ada",
            credit: { helpful: 1, harmful: 0 },
          }),
        ),
      );
      expect(results.filter(({ changed }) => changed)).toHaveLength(1);
    });
    for (const { learnings } of stores) {
      const [found] = await learnings.bySeq([seq], ALL);
      expect(found?.learning.helpful).toBe(ROUNDS);
    }
  });

  test("undo, removal and sweeping beside writing leave nothing half there", async () => {
    await rounds(async (round) => {
      const since = Date.now();
      const results = await Promise.allSettled(
        stores.flatMap(({ learnings }, at) => [
          learnings.add(entryOf({ trigger: `undone ${round}`, writer: "eve" }), {}),
          learnings.add(entryOf({ trigger: `kept ${round} by ${at}`, alternative: `call ${at}` }), {}),
          learnings.undo("eve", since),
          learnings.remove({ visibility: ALL, marker: `m ${round % 7}` }, { writer: "ada", purge: true }),
          learnings.add(
            entryOf({
              trigger: `brief ${round}`,
              expiresAt: Date.now() + 5,
              ...(round % 3 ? { marker: `m ${round % 7}` } : {}),
            }),
            {},
          ),
          learnings.sweep(),
        ]),
      );
      expect(codesOf(results)).toEqual([]);
    });
    await expect.poll(() => stores[0]?.learnings.sweep()).toEqual([]);
    await stores[1]?.learnings.undo("eve", 0);
    await expectExactCounts();
  });

  test("what one server acknowledged the other one finds, changes and forgets with the next request", async () => {
    await rounds(async (round) => {
      const [here, there] = round % 2 ? [stores[0], stores[1]] : [stores[1], stores[0]];
      if (!here || !there) throw new Error("there are two servers");
      const word = `w${round}x`;
      const { learning } = await here.learnings.add(entryOf({ trigger: `${word} appears` }), {});
      const seen = async (one: MemoryStores) =>
        (await one.learnings.candidates([{ term: word, rarity: 1 }], { visibility: ALL, limit: 5 })).map(
          (found) => [found.learning.id, found.learning.confidence],
        );
      for (const one of [there, here]) expect(await seen(one)).toEqual([[learning.id, 0.5]]);
      await there.learnings.change(learning.id, ALL, { writer: "ada", apply: () => ({ confidence: 0.75 }) });
      for (const one of [here, there]) expect(await seen(one)).toEqual([[learning.id, 0.75]]);
      await here.learnings.remove({ visibility: ALL, id: learning.id }, { writer: "ada", purge: false });
      for (const one of [there, here]) expect(await seen(one)).toEqual([]);
      await there.learnings.undo("ada", Date.now() - 5);
    });
  });
});
