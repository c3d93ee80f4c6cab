import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { bunBinary } from "../../test/bun.ts";
import { hasPostgres } from "../../test/postgres/find-postgres.ts";
import { openTestPostgres } from "../../test/postgres/open-test-postgres.ts";
import { usePostgres } from "../../test/postgres/use-postgres.ts";
import { openDatabase } from "../db/open-database.ts";
import type { Postgres } from "../db/postgres/postgres.ts";
import { ask, createPublisher, sha256 } from "../fixtures/http-client.ts";
import { createSilentLog } from "../log.ts";
import { readSettings } from "../settings.ts";
import { type RunningServer, startServer } from "../start.ts";
import { migrateFolder } from "./migrate-folder.ts";
import { isMade, ONLY_SHARED, readCopiedTables } from "./tables.ts";

const start = (home: string, more: Record<string, string> = {}): Promise<RunningServer> =>
  startServer(
    {
      ...readSettings({ NIGHTSHIFT_HOME: home, MEMORY_API_KEY_FILE: join(home, "memory-key"), ...more }),
      port: 0,
    },
    { log: createSilentLog() },
  );
const tokenOf = (home: string): string => readFileSync(join(home, "admin-token"), "utf8").trim();
const learn = (home: string, port: number, trigger: string) =>
  ask(port, {
    method: "POST",
    path: "/learn",
    headers: {
      authorization: `Bearer ${readFileSync(join(home, "memory-key"), "utf8").trim()}`,
      "content-type": "application/json",
    },
    body: JSON.stringify({
      trigger,
      learning: `what to do about ${trigger}: 'quote' \\ "é" 🌙`,
      confidence: 0.7,
    }),
  });
const recall = async (port: number, context: string): Promise<string> => {
  const answer = await ask(port, {
    method: "POST",
    path: "/inject",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ context, format: "prompt", limit: 5 }),
  });
  return answer.text;
};

const LARGE = Buffer.from(Array.from({ length: 2 * 1024 * 1024 }, (_, index) => (index * 7919) % 251));

/** A folder in which a server has worked for a while. */
const fill = async (home: string): Promise<void> => {
  const server = await start(home);
  const publisher = createPublisher(server.port, tokenOf(home));
  for (let build = 0; build < 3; build++)
    await publisher.publish("docs", { "index.html": `build ${build}`, "large.bin": LARGE, "empty.txt": "" });
  await publisher.publish("blog", { "index.html": "blog" }, { message: "first \\ 'post'" });
  await publisher.create("blog", { "index.html": "waits", "other.txt": "not there yet" });
  await publisher.sendJson("/api/tokens", {
    label: "ci",
    site: "docs",
    actions: ["upload"],
    expiresInSeconds: 60,
  });
  for (let n = 0; n < 40; n++)
    expect((await learn(home, server.port, `flaky timeouts of the gateway number${n}`)).status).toBeLessThan(
      300,
    );
  await server.stop();
};

describe.skipIf(!hasPostgres)("copying a data folder into PostgreSQL", () => {
  const postgres = usePostgres();
  const parent = mkdtempSync(join(tmpdir(), "nightshift-migrate-"));
  const original = join(parent, "original");
  const opened: Postgres[] = [];
  let copies = 0;
  beforeAll(() => fill(original));
  afterAll(async () => {
    for (const db of opened) await db.close();
    rmSync(parent, { recursive: true, force: true });
  });
  const copyOfFolder = (): string => {
    const home = join(parent, `copy-${++copies}`);
    cpSync(original, home, { recursive: true });
    return home;
  };
  const open = async (url: string): Promise<Postgres> => {
    const db = await openTestPostgres(url);
    opened.push(db);
    return db;
  };
  const migrate = async (home: string, url: string) =>
    migrateFolder(home, { target: await open(url), now: Date.now, onEvent: () => {} });

  test("every table of either database is copied, made again, or the shared database's own", async () => {
    const db = openDatabase(copyOfFolder());
    const copied = readCopiedTables(db);
    const target = await open(await postgres.newDatabase());
    const columns = await target.all<{ name: string; column: string; needed: boolean }>(
      `SELECT table_name AS name, column_name AS "column",
         is_nullable = 'NO' AND column_default IS NULL AND is_identity = 'NO' AS needed
       FROM information_schema.columns WHERE table_schema = 'public'`,
    );
    const shared = [...new Set(columns.map(({ name }) => name))];
    expect(shared.filter((name) => !isMade(name) && !ONLY_SHARED.test(name)).sort()).toEqual(
      copied.map(({ name }) => name).sort(),
    );
    for (const table of copied) {
      const there = columns.filter(({ name }) => name === table.name);
      expect([
        table.name,
        table.columns.filter((column) => !there.some((each) => each.column === column)),
      ]).toEqual([table.name, []]);
      const unfilled = there.filter(({ column, needed }) => needed && !table.columns.includes(column));
      expect([table.name, unfilled]).toEqual([table.name, []]);
    }
    for (const name of [
      "sites",
      "memory_learnings",
      "tokens",
      "approvals",
      "publish_events",
      "memory_settings",
    ])
      expect(copied.map((table) => table.name)).toContain(name);
    db.close();
  });

  test("a server on the database goes on where the one on the folder was", async () => {
    const home = copyOfFolder();
    const url = await postgres.server().createDatabase();
    const report = await migrate(home, url);
    expect(report).toMatchObject({ isResumed: false, blobs: { count: 6 } });
    expect(report.tables.find(({ name }) => name === "memory_learnings")?.rows).toBe(40);
    const server = await start(home, { DATABASE_URL: url });
    const publisher = createPublisher(server.port, tokenOf(home));
    expect((await publisher.visit("docs", "/")).text).toBe("build 2");
    expect(sha256((await publisher.visit("docs", "/large.bin")).body)).toBe(sha256(LARGE));
    expect(await recall(server.port, "gateway number7 flaky timeouts")).toContain("number7");
    const { deployments } = (await publisher.send({ path: "/api/sites/docs/deployments" })).json() as {
      deployments: { id: string; status: string }[];
    };
    expect(deployments.map(({ status }) => status)).toEqual(["active", "superseded", "superseded"]);
    // Numbers go on: what is made now is newer than everything that was copied.
    const made = await publisher.publish("docs", { "index.html": "made here" });
    const listed = (
      await publisher.send({ path: "/api/sites/docs/deployments" })
    ).json() as typeof deployments & {
      deployments: { id: string }[];
    };
    expect(listed.deployments[0]?.id).toBe(made);
    expect((await learn(home, server.port, "something new")).status).toBeLessThan(300);
    await server.stop();
  });

  test("the command says what it copied, and asked again that it is done", async () => {
    const home = copyOfFolder();
    const url = await postgres.server().createDatabase();
    const program = join(import.meta.dirname, "../../scripts/nightshift.ts");
    const run = (...more: string[]) =>
      spawnSync(bunBinary(), [program, "migrate", "--from", home, ...more], {
        encoding: "utf8",
        env: { PATH: process.env["PATH"] ?? "", HOME: parent, DATABASE_URL: url },
      });
    const done = run("--json");
    expect([done.status, JSON.parse(done.stdout)]).toEqual([
      0,
      expect.objectContaining({
        from: home,
        isResumed: false,
        blobs: { count: 6, bytes: expect.any(Number) },
      }),
    ]);
    expect(done.stderr).toMatch(/files: 6 to do\nrows: \d+ to do\ncomparing: \d+ to do\n/);
    const { finishedAt, tables } = JSON.parse(done.stdout) as { finishedAt: string; tables: object[] };
    const again = run();
    expect(again.status).toBe(0);
    expect(again.stdout).toContain(`nothing to do: ${home} was copied into`);
    expect(again.stdout).toContain(finishedAt);
    expect(JSON.parse(run("--json").stdout)).toMatchObject({ isRepeated: true, finishedAt, tables });
    expect(`${done.stdout}${done.stderr}${again.stdout}${again.stderr}`).not.toContain(new URL(url).password);
  });

  test("done once, it is done whatever servers wrote since, unless the folder has changed", async () => {
    const home = copyOfFolder();
    const url = await postgres.server().createDatabase();
    const first = await migrate(home, url);
    const server = await start(home, { DATABASE_URL: url });
    expect((await learn(home, server.port, "written since")).status).toBeLessThan(300);
    await server.stop();
    expect(await migrate(home, url)).toEqual({ ...first, isRepeated: true });

    const own = await start(home);
    await learn(home, own.port, "written into the folder after all");
    await own.stop();
    await expect(migrate(home, url)).rejects.toMatchObject({
      code: "conflict",
      message: expect.stringContaining("has changed since (memory_learnings)"),
    });
    const target = await open(url);
    expect(
      await target.get("SELECT count(*) AS count FROM memory_learnings WHERE trigger LIKE 'written%'"),
    ).toEqual({ count: 1 });
  });

  test("killed again and again, it goes on where it was, and nothing is missing or twice", async () => {
    const home = copyOfFolder();
    const url = await postgres.server().createDatabase();
    const program = join(import.meta.dirname, "fixtures/migrate-and-die.ts");
    let runs = 0;
    for (let nth = 1; ; nth += ++runs) {
      const { signal, stdout, stderr } = spawnSync(bunBinary(), [program, home, url, String(nth)], {
        encoding: "utf8",
      });
      if (signal === null) {
        expect([stderr, stdout]).toEqual(["", "done\n"]);
        break;
      }
      expect(signal).toBe("SIGKILL");
      // Half of it is no use to anybody: a server does not start on it.
      await expect(start(copyOfFolder(), { DATABASE_URL: url })).rejects.toThrow(
        "run the same nightshift migrate again",
      );
    }
    expect(runs).toBeGreaterThan(3);
    const untouched = await migrate(copyOfFolder(), await postgres.server().createDatabase());
    const target = await open(url);
    for (const { name, rows } of untouched.tables)
      expect([
        name,
        await target.get(
          `SELECT count(*) AS rows FROM "${name}" ${name === "memory_settings" ? "WHERE name <> 'analysis_version'" : ""}`,
        ),
      ]).toEqual([name, { rows }]);
    expect(await target.get("SELECT count(*) AS count FROM blob_bodies")).toEqual({
      count: untouched.blobs.count,
    });
  }, 300_000);

  test("refuses a database with data, and one that has half of another folder", async () => {
    const url = await postgres.server().createDatabase();
    await migrate(copyOfFolder(), url);
    await expect(migrate(copyOfFolder(), url)).rejects.toMatchObject({
      code: "conflict",
      message: expect.stringContaining("is not empty: there are rows in blob_bodies"),
    });
    const half = await postgres.server().createDatabase();
    const first = copyOfFolder();
    const target = await open(half);
    await expect(
      migrateFolder(first, {
        target,
        now: Date.now,
        onEvent: () => {
          throw new Error("interrupted");
        },
      }),
    ).rejects.toThrow("interrupted");
    await expect(migrate(copyOfFolder(), half)).rejects.toThrow(`has half of what is in ${first}`);
    expect(await migrate(first, half)).toMatchObject({ isResumed: true });
  });

  test("refuses a folder whose server runs, one without data, and a damaged file", async () => {
    const home = copyOfFolder();
    const url = await postgres.server().createDatabase();
    const server = await start(home);
    await expect(migrate(home, url)).rejects.toMatchObject({ code: "locked" });
    await server.stop();
    await expect(migrate(parent, url)).rejects.toMatchObject({ code: "not-found" });
    const name = sha256("blog");
    const file = join(home, "blobs", name.slice(0, 2), name);
    writeFileSync(file, "blig");
    await expect(migrate(home, url)).rejects.toMatchObject({
      code: "bad-data",
      message: expect.stringContaining(name),
    });
    writeFileSync(file, "blog");
    expect(await migrate(home, url)).toMatchObject({ isResumed: true });
  });

  test("notices what is not the same in both", async () => {
    const home = copyOfFolder();
    const url = await postgres.server().createDatabase();
    const target = await open(url);
    const meddle = async (statement: string) => {
      let isDone = false;
      await migrateFolder(home, {
        target,
        now: Date.now,
        onEvent: ({ step }) => {
          if (step !== "verifying" || isDone) return;
          isDone = true;
          throw new Error("stop here");
        },
      }).catch(() => {});
      await target.run(statement);
    };
    await meddle("UPDATE memory_learnings SET learning = learning || '.' WHERE seq = 7");
    await expect(migrate(home, url)).rejects.toThrow("The table memory_learnings is not the same in both");
    await target.run("UPDATE memory_learnings SET learning = rtrim(learning, '.') WHERE seq = 7");
    await meddle("UPDATE blob_parts SET bytes = set_byte(bytes, 0, 7) WHERE at = 0 AND length(bytes) = 4");
    await expect(migrate(home, url)).rejects.toThrow(`The blob ${sha256("blog")} is not the same`);
  });
});
