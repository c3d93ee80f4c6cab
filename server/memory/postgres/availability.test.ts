// @module-tag long

import { chmodSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { eventually } from "../../../test/eventually.ts";
import { hasPostgres } from "../../../test/postgres/find-postgres.ts";
import { startPostgres, type TestPostgres } from "../../../test/postgres/start-postgres.ts";
import { canMount, mountSmallDisk } from "../../../test/small-disk.ts";
import { openPostgres } from "../../../db/postgres/open-postgres.ts";
import type { Postgres } from "../../../db/postgres/postgres.ts";
import { exitOf, spawnServerProcess } from "../../fixtures/spawn-server.ts";
import { createSilentLog } from "../../../core/log.ts";
import { type Answer, type MemoryServer, startMemoryServer } from "../fixtures/start-memory-server.ts";

const brief = ({ status, headers, json }: Answer) => ({
  status,
  code: json.code,
  retry: Number(headers.get("retry-after")) > 0,
});
const LATER = { status: 503, code: "unavailable", retry: true };

describe.skipIf(!hasPostgres)("while PostgreSQL cannot serve", () => {
  let postgres: TestPostgres;
  let url: string;
  let server: MemoryServer;
  let beside: Postgres;
  beforeAll(async () => {
    postgres = await startPostgres();
  });
  afterAll(() => postgres.stop());
  beforeEach(async () => {
    url = await postgres.createDatabase();
    server = await startMemoryServer({
      DATABASE_URL: url,
      DATABASE_POOL_SIZE: "2",
      DATABASE_STATEMENT_SECONDS: "1",
    });
    beside = await openPostgres(
      { url, poolSize: 2, statementTimeoutMs: 30_000, waitMs: 5000 },
      { log: createSilentLog() },
    );
    await server.learn({ trigger: "deploying the kiosk", learning: "flash the firmware first" });
  });
  afterEach(async () => {
    await beside.close();
    await server.stop();
  });

  let told = 0;
  const learn = () =>
    server.ask("POST", "/learn", { body: { trigger: `note ${++told}`, learning: "something" } });
  const inject = () => server.ask("POST", "/inject", { body: { context: "deploying the kiosk" } });
  const statusOf = async (request: () => Promise<Answer>) => (await request()).status;

  test("sessions that were cut are replaced", async () => {
    for (let round = 0; round < 5; round++) {
      await beside.run(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()",
      );
      await eventually(() => statusOf(inject)).toBe(200);
      await eventually(() => statusOf(learn)).toBe(200);
    }
  });

  test("a read-only replica still answers, and changes are refused until it is promoted", async () => {
    await postgres.setReadOnly(true);
    await eventually(async () => brief(await learn())).toEqual(LATER);
    expect((await inject()).json.learnings).toHaveLength(1);
    expect(await statusOf(() => server.ask("GET", "/health", {}))).toBe(200);
    await postgres.setReadOnly(false);
    await eventually(() => statusOf(learn)).toBe(200);
  });

  test("what waits too long for somebody else's lock or for a connection is told to come back", async () => {
    await beside.transaction(async (tx) => {
      await tx.exec("LOCK TABLE memory_learnings IN ACCESS EXCLUSIVE MODE");
      const answers = await Promise.all([inject(), inject(), inject(), learn(), learn(), learn()]);
      expect(answers.map(brief)).toEqual(answers.map(() => LATER));
    });
    expect(await statusOf(inject)).toBe(200);
    expect(await statusOf(learn)).toBe(200);
  });

  test("a server with its database away answers 503 everywhere and goes on by itself", async () => {
    await postgres.kill();
    const requests = [
      () => server.ask("GET", "/health"),
      inject,
      learn,
      () => server.ask("GET", "/learnings"),
      () => server.ask("GET", "/state/acme"),
      () => server.ask("PUT", "/state/acme", { body: { status: "x" } }),
      () => server.ask("GET", "/handoffs"),
      () => server.ask("GET", "/stats"),
      () => server.ask("GET", "/learnings", { as: "nsm_an_unknown_key_of_some_length" }),
    ];
    const { username, password, host, pathname } = new URL(url);
    for (const request of requests) {
      const answer = await request();
      expect(brief(answer)).toEqual(LATER);
      for (const name of [`${username}@`, password, host, pathname]) expect(answer.text).not.toContain(name);
    }
    await postgres.start();
    await eventually(() => statusOf(inject)).toBe(200);
    expect(await statusOf(learn)).toBe(200);
  });

  test("a server that starts first waits for the database, and says why it gives up", async () => {
    const home = mkdtempSync(join(tmpdir(), "nightshift-wait-"));
    try {
      await postgres.kill();
      const start = (seconds: string) => {
        const child = spawnServerProcess(home, {
          DATABASE_URL: url,
          DATABASE_WAIT_SECONDS: seconds,
          LOG_LEVEL: "info",
        });
        const said = { err: "", out: "" };
        child.stderr?.on("data", (chunk: Buffer) => (said.err += String(chunk)));
        child.stdout?.on("data", (chunk: Buffer) => (said.out += String(chunk)));
        return { child, said };
      };
      const hasty = start("1");
      expect(await exitOf(hasty.child)).toBe(69);
      expect(hasty.said.err).toContain(`127.0.0.1:${postgres.port}`);
      expect(hasty.said.err).not.toContain(new URL(url).password);
      const patient = start("60");
      await eventually(() => patient.said.err).toContain("waiting for the database");
      await postgres.start();
      await eventually(() => patient.said.out).toContain("listens on");
      patient.child.kill("SIGTERM");
      expect(await exitOf(patient.child)).toBe(0);
      expect(patient.said.err).not.toContain(new URL(url).password);
    } finally {
      rmSync(home, { recursive: true, force: true });
    }
  });
});

describe.skipIf(!hasPostgres || !canMount)("on a disk of PostgreSQL's that is full", () => {
  let folder: string;
  let unmount: () => void;
  let postgres: TestPostgres;
  let server: MemoryServer;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "nightshift-full-"));
    unmount = mountSmallDisk(folder, "160m");
    chmodSync(folder, 0o777);
    postgres = await startPostgres({ folder, settings: { min_wal_size: "32MB", max_wal_size: "48MB" } });
    server = await startMemoryServer({ DATABASE_URL: await postgres.createDatabase() });
  });
  afterAll(async () => {
    await server.stop();
    await postgres.stop();
    unmount();
    rmSync(folder, { recursive: true, force: true });
  });

  const noise = (length: number): string =>
    Array.from({ length }, () => Math.random().toString(36).slice(2, 10)).join(" ");
  const learn = () => server.ask("POST", "/learn", { body: { trigger: noise(20), learning: noise(400) } });

  test("changes are refused until there is room, and what was told before is there", async () => {
    const { id } = await server.learn({ trigger: "deploying the kiosk", learning: "flash it first" });
    const { bavail, bsize } = statfsSync(folder);
    const filler = join(folder, "filler");
    // Room for the log of what is tried, and none for the tables to grow.
    writeFileSync(filler, Buffer.alloc(bavail * bsize));
    await eventually(async () => brief(await learn())).toEqual(LATER);
    expect(brief(await learn())).toEqual(LATER);
    const { learnings } = await server.inject({ context: "deploying the kiosk" });
    expect(learnings.map((one) => one.id)).toEqual([id]);
    rmSync(filler);
    await eventually(async () => (await learn()).status).toBe(200);
  });
});
