import { describe, expect, test } from "vitest";
import { eventually } from "../../test/eventually.ts";
import { hasPostgres } from "../../test/postgres/find-postgres.ts";
import { createSilentLog } from "../../core/log.ts";
import { expectUnavailable, failureOf, useDatabases } from "./fixtures/use-databases.ts";
import { openPostgres } from "./open-postgres.ts";

describe.skipIf(!hasPostgres)("a database that goes away", () => {
  const lab = useDatabases();

  test("a session that is cut fails what it was doing, and nothing after it", async () => {
    const db = await lab.open();
    const running = db.transaction(async (tx) => {
      await tx.get("SELECT 1");
      await lab.server.query(
        lab.url,
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'nightshift' AND datname = current_database()",
      );
      await tx.get("SELECT 2");
    });
    await expectUnavailable(running, "cannot serve this now");
    for (let at = 0; at < 10; at++) expect(await db.get("SELECT $1::int AS at", [at])).toEqual({ at });
  });

  test("fails while the database is unavailable, and serves again by itself when it is back", async () => {
    const db = await lab.open();
    for (const leave of [lab.server.kill, lab.server.shutDown]) {
      await leave();
      await expectUnavailable(db.ping(), "cannot serve this now");
      await expectUnavailable(
        Promise.all(Array.from({ length: 20 }, () => db.ping())),
        "cannot serve this now",
      );
      await lab.server.start();
      await eventually(() =>
        db.ping().then(
          () => "serves",
          () => "away",
        ),
      ).toBe("serves");
      expect(await Promise.all(Array.from({ length: 20 }, () => db.get("SELECT 1 AS one")))).toHaveLength(20);
    }
  });

  test("a message reaches every listener, only after its commit, and a gap is told", async () => {
    const [first, second] = [await lab.open(), await lab.open()];
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
    await lab.server.kill();
    await eventually(() => listening.isListening()).toBe(false);
    await lab.server.start();
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
    await lab.server.shutDown();
    const { message, code } = await failureOf(lab.open({ waitMs: 300 }));
    expect(code).toBe("unavailable");
    expect(message).toContain(`127.0.0.1:${lab.server.port}`);
    expect(message).not.toContain(new URL(lab.url).password);
    const waiting = lab.open({ waitMs: 30_000 });
    await lab.server.start();
    expect(await (await waiting).get("SELECT 1 AS one")).toEqual({ one: 1 });
  });

  test("stops waiting when it is told to", async () => {
    await lab.server.shutDown();
    const stop = new AbortController();
    const waiting = openPostgres(
      { url: lab.url, poolSize: 1, statementTimeoutMs: 5000, waitMs: 600_000 },
      { log: createSilentLog(), signal: stop.signal },
    );
    stop.abort();
    expect((await failureOf(waiting)).code).toBe("interrupted");
    await lab.server.start();
  });
});
