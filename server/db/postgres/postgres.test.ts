import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { AppError } from "../../../core/errors.ts";
import { eventually } from "../../../test/eventually.ts";
import { hasPostgres } from "../../../test/postgres/find-postgres.ts";
import { startPostgres, type TestPostgres } from "../../../test/postgres/start-postgres.ts";
import { createSilentLog } from "../../log.ts";
import { migratePostgres } from "./migrate-postgres.ts";
import { openPostgres, type PostgresSettings } from "./open-postgres.ts";
import type { Postgres, Transaction } from "./postgres.ts";

describe.skipIf(!hasPostgres)("a database that servers share", () => {
  let server: TestPostgres;
  let url: string;
  const opened: Postgres[] = [];
  const open = async (settings: Partial<PostgresSettings> = {}): Promise<Postgres> => {
    const db = await openPostgres(
      { url, poolSize: 4, statementTimeoutMs: 5000, waitMs: 10_000, ...settings },
      { log: createSilentLog() },
    );
    opened.push(db);
    return db;
  };

  beforeAll(async () => {
    server = await startPostgres({ settings: { deadlock_timeout: "20ms" } });
  });
  afterAll(async () => {
    await Promise.all(opened.map((db) => db.close()));
    await server.stop();
  });
  beforeEach(async () => {
    url = await server.createDatabase();
  });

  const failureOf = async (work: Promise<unknown>): Promise<AppError> => {
    try {
      await work;
    } catch (error) {
      if (error instanceof AppError) return error;
      throw error;
    }
    throw new Error("it did not fail");
  };

  const expectUnavailable = async (work: Promise<unknown>, why: string): Promise<void> => {
    const { code, message, details } = await failureOf(work);
    expect({ code, message }).toEqual({ code: "unavailable", message: expect.stringContaining(why) });
    expect(details["retryAfterSeconds"]).toBeGreaterThan(0);
  };

  test("reads back what was written: large numbers, lists, bytes, texts", async () => {
    const db = await open();
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
    const db = await open();
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
    const db = await open();
    await db.run("CREATE TABLE notes (text TEXT)");
    const work = db.transaction(async (tx) => {
      await tx.run("INSERT INTO notes VALUES ('a')");
      await tx.run("SELECT nonsense").catch(() => {});
    });
    await expect(work).rejects.toThrow('column "nonsense" does not exist');
    expect(await db.all("SELECT * FROM notes")).toEqual([]);
  });

  test("what is sent after a transaction has ended is refused", async () => {
    const db = await open();
    const kept: Transaction[] = [];
    await db.transaction(async (tx) => {
      kept.push(tx);
    });
    await expect(kept[0]?.run("SELECT 1")).rejects.toThrow("the transaction has ended");
  });

  test("runs a transaction again that a deadlock or a serialization failure ended", async () => {
    const db = await open();
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
    const db = await open({ poolSize: 2 });
    expect(
      await Promise.all(Array.from({ length: 50 }, (_, at) => db.get("SELECT $1::int AS at", [at]))),
    ).toEqual(Array.from({ length: 50 }, (_, at) => ({ at })));
    const hasty = await open({ poolSize: 2, poolWaitMs: 200 });
    const slow = Promise.all([hasty.get("SELECT pg_sleep(0.6)"), hasty.get("SELECT pg_sleep(0.6)")]);
    await expectUnavailable(hasty.get("SELECT 1"), "All 2 connections to the database");
    await slow;
    expect(await hasty.get("SELECT 1 AS one")).toEqual({ one: 1 });
  });

  test("a statement that takes too long is ended, and the connection is used again", async () => {
    const db = await open({ poolSize: 1, statementTimeoutMs: 200 });
    await expectUnavailable(db.get("SELECT pg_sleep(30)"), "took longer than it may");
    expect(await db.get("SELECT 1 AS one")).toEqual({ one: 1 });
  });

  test("what stands behind a statement that failed fails for the same reason, the commit too", async () => {
    const db = await open({ poolSize: 1, statementTimeoutMs: 200 });
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

  test("a session that is cut fails what it was doing, and nothing after it", async () => {
    const db = await open();
    const running = db.transaction(async (tx) => {
      await tx.get("SELECT 1");
      await server.query(
        url,
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'nightshift' AND datname = current_database()",
      );
      await tx.get("SELECT 2");
    });
    await expectUnavailable(running, "cannot serve this now");
    for (let at = 0; at < 10; at++) expect(await db.get("SELECT $1::int AS at", [at])).toEqual({ at });
  });

  test("fails while the database is away, and serves again by itself when it is back", async () => {
    const db = await open();
    for (const leave of [server.kill, server.shutDown]) {
      await leave();
      await expectUnavailable(db.ping(), "cannot serve this now");
      await expectUnavailable(
        Promise.all(Array.from({ length: 20 }, () => db.ping())),
        "cannot serve this now",
      );
      await server.start();
      await eventually(() =>
        db.ping().then(
          () => "serves",
          () => "away",
        ),
      ).toBe("serves");
      expect(await Promise.all(Array.from({ length: 20 }, () => db.get("SELECT 1 AS one")))).toHaveLength(20);
    }
  });

  test("a read-only database refuses changes and still answers", async () => {
    const db = await open();
    await db.run("CREATE TABLE notes (text TEXT)");
    await db.run(
      "ALTER DATABASE " + new URL(url).pathname.slice(1) + " SET default_transaction_read_only = on",
    );
    const reader = await open();
    await expectUnavailable(reader.run("INSERT INTO notes VALUES ('a')"), "read-only replica");
    expect(await reader.all("SELECT * FROM notes")).toEqual([]);
  });

  test("a database that cannot hold every text is refused at once", async () => {
    for (const encoding of ["LATIN1", "SQL_ASCII"]) {
      const name = `other_${encoding.toLowerCase()}`;
      await server.query(
        url,
        `CREATE DATABASE ${name} ENCODING '${encoding}' LC_COLLATE 'C' LC_CTYPE 'C' LOCALE_PROVIDER libc TEMPLATE template0`,
      );
      const { code, message } = await failureOf(open({ url: server.url(name) }));
      expect({ code, message }).toEqual({
        code: "config",
        message: expect.stringContaining(`its encoding is ${encoding}`),
      });
    }
  });

  test("a user without rights is told so when tables are to be made", async () => {
    const target = new URL(url);
    await server.query(url, "REVOKE ALL ON SCHEMA public FROM public");
    await server.query(url, "CREATE ROLE guest LOGIN PASSWORD 'guest'");
    [target.username, target.password] = ["guest", "guest"];
    const db = await open({ url: target.href });
    const { code, message } = await failureOf(migratePostgres(db, [], Date.now));
    expect({ code, message }).toEqual({ code: "config", message: expect.stringContaining("has to own") });
    expect(message).not.toContain("guest:");
  });

  test("a message reaches every listener, only after its commit, and a gap is told", async () => {
    const [first, second] = [await open(), await open()];
    const heard: string[] = [];
    let gaps = 0;
    const listening = await second.listen("news", {
      onMessage: (payload) => heard.push(payload),
      onGap: () => gaps++,
    });
    await expect(
      first.transaction(async (tx) => {
        await tx.notify("news", "never");
        throw new Error("no");
      }),
    ).rejects.toThrow("no");
    await first.transaction((tx) => tx.notify("news", "one"));
    await eventually(() => heard).toEqual(["one"]);
    const before = gaps;
    await server.kill();
    await eventually(() => listening.isListening()).toBe(false);
    await server.start();
    await eventually(() => listening.isListening()).toBe(true);
    expect(gaps).toBeGreaterThanOrEqual(before + 2);
    await eventually(() =>
      first.ping().then(
        () => "serves",
        () => "away",
      ),
    ).toBe("serves");
    await first.transaction((tx) => tx.notify("news", "two"));
    await eventually(() => heard).toEqual(["one", "two"]);
    await listening.stop();
  });

  test("waits for a database that starts later, and gives up naming it without its password", async () => {
    await server.shutDown();
    const { message, code } = await failureOf(open({ waitMs: 300 }));
    expect(code).toBe("unavailable");
    expect(message).toContain(`127.0.0.1:${server.port}`);
    expect(message).not.toContain(new URL(url).password);
    const waiting = open({ waitMs: 30_000 });
    await server.start();
    expect(await (await waiting).get("SELECT 1 AS one")).toEqual({ one: 1 });
  });

  test("stops waiting when it is told to", async () => {
    await server.shutDown();
    const stop = new AbortController();
    const waiting = openPostgres(
      { url, poolSize: 1, statementTimeoutMs: 5000, waitMs: 600_000 },
      { log: createSilentLog(), signal: stop.signal },
    );
    stop.abort();
    expect((await failureOf(waiting)).code).toBe("interrupted");
    await server.start();
  });

  test("does not wait when the password is wrong or there is no such database", async () => {
    const wrong = new URL(url);
    wrong.password = "guessed";
    const refused = await failureOf(open({ url: wrong.href }));
    expect(refused.code).toBe("config");
    expect(refused.message).not.toContain("guessed");
    const missing = new URL(url);
    missing.pathname = "/nowhere";
    expect((await failureOf(open({ url: missing.href }))).message).toContain(
      'database "nowhere" does not exist',
    );
  });

  test("servers that start at once migrate once, and a database of a newer version is refused", async () => {
    const steps = [
      { number: 2, name: "second", sqlite: "", postgres: "INSERT INTO notes VALUES ('second')" },
      {
        number: 1,
        name: "first",
        sqlite: "",
        postgres: "CREATE TABLE notes (text TEXT); INSERT INTO notes VALUES ('first')",
      },
    ];
    const servers = await Promise.all(Array.from({ length: 6 }, () => open()));
    const done = await Promise.all(servers.map((db) => migratePostgres(db, steps, () => 0)));
    expect(done.flat().sort((a, b) => a - b)).toEqual([1, 2]);
    const [db] = servers;
    expect(await db?.all("SELECT text FROM notes")).toEqual([{ text: "first" }, { text: "second" }]);
    await expect(migratePostgres(await open(), steps.slice(1), () => 0)).rejects.toThrow(
      "was changed by a newer version (step 2 second)",
    );
  });

  test("a step that fails leaves nothing of itself", async () => {
    const db = await open();
    const broken = {
      number: 1,
      name: "broken",
      sqlite: "",
      postgres: "CREATE TABLE half (a INT); SELECT nonsense",
    };
    await expect(migratePostgres(db, [broken], () => 0)).rejects.toThrow("nonsense");
    expect(await db.get("SELECT to_regclass('half') AS half")).toEqual({ half: null });
    expect(await db.all("SELECT * FROM pg_tables WHERE tablename = 'schema_migrations'")).toEqual([]);
  });
});
