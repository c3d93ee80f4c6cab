import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { bunBinary } from "../../test/bun.ts";
import { hasPostgres } from "../../test/postgres/find-postgres.ts";
import { openDatabase } from "../../db/open-database.ts";
import { createPublisher, sha256 } from "../fixtures/http-client.ts";
import { LARGE, learn, recall, start, tokenOf, useFilledFolder } from "./fixtures/filled-folder.ts";
import { isMade, ONLY_SHARED, readCopiedTables } from "./tables.ts";

describe.skipIf(!hasPostgres)("copying a data folder into PostgreSQL", () => {
  const lab = useFilledFolder();

  test("every table of either database is copied, made again, or the shared database's own", async () => {
    const db = openDatabase(lab.copyOfFolder());
    const copied = readCopiedTables(db);
    const target = await lab.open(await lab.postgres.newDatabase());
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
    const home = lab.copyOfFolder();
    const url = await lab.postgres.server().createDatabase();
    const report = await lab.migrate(home, url);
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
    const home = lab.copyOfFolder();
    const url = await lab.postgres.server().createDatabase();
    const program = join(import.meta.dirname, "../../scripts/nightshift.ts");
    const run = (...more: string[]) =>
      spawnSync(bunBinary(), [program, "migrate", "--from", home, ...more], {
        encoding: "utf8",
        env: { PATH: process.env["PATH"] ?? "", HOME: lab.parent, DATABASE_URL: url },
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
    const home = lab.copyOfFolder();
    const url = await lab.postgres.server().createDatabase();
    const first = await lab.migrate(home, url);
    const server = await start(home, { DATABASE_URL: url });
    expect((await learn(home, server.port, "written since")).status).toBeLessThan(300);
    await server.stop();
    expect(await lab.migrate(home, url)).toEqual({ ...first, isRepeated: true });

    const own = await start(home);
    await learn(home, own.port, "written into the folder after all");
    await own.stop();
    await expect(lab.migrate(home, url)).rejects.toMatchObject({
      code: "conflict",
      message: expect.stringContaining("has changed since (memory_learnings)"),
    });
    const target = await lab.open(url);
    expect(
      await target.get("SELECT count(*) AS count FROM memory_learnings WHERE trigger LIKE 'written%'"),
    ).toEqual({ count: 1 });
  });

  test("killed again and again, it goes on where it was, and nothing is missing or twice", async () => {
    const home = lab.copyOfFolder();
    const url = await lab.postgres.server().createDatabase();
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
      await expect(start(lab.copyOfFolder(), { DATABASE_URL: url })).rejects.toThrow(
        "run the same nightshift migrate again",
      );
    }
    expect(runs).toBeGreaterThan(3);
    const untouched = await lab.migrate(lab.copyOfFolder(), await lab.postgres.server().createDatabase());
    const target = await lab.open(url);
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
  });
});
