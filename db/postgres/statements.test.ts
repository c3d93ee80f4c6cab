import { describe, expect, test } from "vitest";
import { eventually } from "../../test/eventually.ts";
import { hasPostgres } from "../../test/postgres/find-postgres.ts";
import { expectUnavailable, useDatabases } from "./fixtures/use-databases.ts";
import type { Transaction } from "./postgres.ts";

describe.skipIf(!hasPostgres)("statements and transactions", () => {
  const lab = useDatabases();

  test("reads back what was written: large numbers, lists, bytes, texts", async () => {
    const db = await lab.open();
    await db.run("CREATE TABLE things (at BIGINT, share DOUBLE PRECISION, bytes BYTEA, text TEXT)");
    const bytes = new Uint8Array([0, 255, 92]);
    const thing = { at: 1_790_000_000_000, share: 0.1, text: 'a "quoted", {braced} \\ text\n🌙' };
    await db.run("INSERT INTO things VALUES ($1, $2, $3, $4)", [thing.at, thing.share, bytes, thing.text]);
    const found = await db.get<typeof thing & { bytes: Uint8Array }>(
      "SELECT * FROM things WHERE text = ANY($1::text[]) AND at = ANY($2::bigint[])",
      [
        ["none", thing.text],
        [1, thing.at],
      ],
    );
    expect(found && { ...found, bytes: new Uint8Array(found.bytes) }).toEqual({ ...thing, bytes });
    expect(await db.get("SELECT at FROM things WHERE text = ANY($1::text[])", [[]])).toBeUndefined();
    expect(await db.run("UPDATE things SET share = 1")).toBe(1);
    expect(
      await db.get("SELECT $1::text AS one, $2::text[] = ARRAY['\ufffd'] AS other", ["a\u0000b", ["\u0000"]]),
    ).toEqual({
      one: "a\ufffdb",
      other: true,
    });
  });

  test("a transaction that throws leaves nothing, a savepoint undoes only itself", async () => {
    const db = await lab.open();
    await db.run("CREATE TABLE notes (text TEXT UNIQUE)");
    await expect(
      db.transaction(async (tx) => {
        await tx.run("INSERT INTO notes VALUES ('a')");
        throw new Error("no");
      }),
    ).rejects.toThrow("no");
    await db.transaction(async (tx) => {
      await tx.run("INSERT INTO notes VALUES ('b')");
      await expect(
        tx.savepoint(async () => {
          await tx.run("INSERT INTO notes VALUES ('c')");
          await tx.run("INSERT INTO notes VALUES ('b')");
        }),
      ).rejects.toThrow("duplicate key");
      await tx.run("INSERT INTO notes VALUES ('d')");
    });
    expect(await db.all("SELECT text FROM notes ORDER BY text")).toEqual([{ text: "b" }, { text: "d" }]);
  });

  test("a failure that the work passes over is not taken for a commit", async () => {
    const db = await lab.open();
    await db.run("CREATE TABLE notes (text TEXT)");
    const work = db.transaction(async (tx) => {
      await tx.run("INSERT INTO notes VALUES ('a')");
      await tx.run("SELECT nonsense").catch(() => {});
    });
    await expect(work).rejects.toThrow('column "nonsense" does not exist');
    expect(await db.all("SELECT * FROM notes")).toEqual([]);
  });

  test("what is sent after a transaction has ended is refused", async () => {
    const db = await lab.open();
    const kept: Transaction[] = [];
    await db.transaction(async (tx) => {
      kept.push(tx);
    });
    await expect(kept[0]?.run("SELECT 1")).rejects.toThrow("the transaction has ended");
  });

  test("runs a transaction again that a deadlock or a serialization failure ended", async () => {
    const db = await lab.open();
    await db.run("CREATE TABLE counters (name TEXT PRIMARY KEY, value INTEGER)");
    await db.run("INSERT INTO counters VALUES ('a', 0), ('b', 0)");
    const add = (first: string, second: string) =>
      db.transaction(
        async (tx) => {
          for (const name of [first, second])
            await tx.run("UPDATE counters SET value = value + 1 WHERE name = $1", [name]);
        },
        { isolation: "repeatable read" },
      );
    await Promise.all([add("a", "b"), add("b", "a"), add("a", "b"), add("b", "a")]);
    expect(await db.all("SELECT value FROM counters")).toEqual([{ value: 4 }, { value: 4 }]);
  });

  test("more requests than connections wait their turn, and are refused when none gets free", async () => {
    const db = await lab.open({ poolSize: 2 });
    expect(
      await Promise.all(Array.from({ length: 50 }, (_, at) => db.get("SELECT $1::int AS at", [at]))),
    ).toEqual(Array.from({ length: 50 }, (_, at) => ({ at })));
    const hasty = await lab.open({ poolSize: 2, connectWaitMs: 2000 });
    let free = (): void => {};
    const isFree = new Promise<void>((resolve) => (free = resolve));
    let taken = 0;
    const slow = [0, 1].map(() =>
      hasty.transaction(async (tx) => {
        await tx.run("SELECT 1");
        taken++;
        await isFree;
      }),
    );
    await eventually(() => taken).toBe(2);
    await expectUnavailable(hasty.get("SELECT 1"), "All 2 connections to the database");
    free();
    await Promise.all(slow);
    expect(await hasty.get("SELECT 1 AS one")).toEqual({ one: 1 });
  });

  test("a statement that takes too long is ended, and the connection is used again", async () => {
    const db = await lab.open({ poolSize: 1, statementTimeoutMs: 200 });
    await expectUnavailable(db.get("SELECT pg_sleep(30)"), "took longer than it may");
    expect(await db.get("SELECT 1 AS one")).toEqual({ one: 1 });
  });

  test("what stands behind a statement that failed fails for the same reason, the commit too", async () => {
    const db = await lab.open({ poolSize: 1, statementTimeoutMs: 200 });
    const sleep = (tx: Transaction) => void tx.get("SELECT pg_sleep(30)").catch(() => {});
    for (const behind of [
      (tx: Transaction) => tx.get("SELECT 1"),
      (tx: Transaction) => tx.exec("SELECT 1"),
      (tx: Transaction) => tx.savepoint(() => tx.run("SELECT 1")),
      () => new Promise(setImmediate),
    ])
      await expectUnavailable(
        db.transaction(async (tx) => {
          sleep(tx);
          await behind(tx);
        }),
        "took longer than it may",
      );
    expect(await db.get("SELECT 1 AS one")).toEqual({ one: 1 });
  });
});
