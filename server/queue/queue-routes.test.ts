import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createSilentLog } from "../../core/log.ts";
import { addJob } from "../../queue/add-job.ts";
import { claimJob } from "../../queue/claim-job.ts";
import { openQueue } from "../../queue/open-queue.ts";
import type { Queue } from "../../queue/queue.ts";
import { hasPostgres } from "../../test/postgres/find-postgres.ts";
import { startPostgres, type TestPostgres } from "../../test/postgres/start-postgres.ts";
import { batchOf } from "../night/fixtures/batches.ts";
import { type MemoryServer, startMemoryServer } from "../memory/fixtures/start-memory-server.ts";

const adminOf = (server: MemoryServer) =>
  readFileSync(join(server.settings.home, "admin-token"), "utf8").trim();

const tokenFor = async (server: MemoryServer, actions: string[]): Promise<string> => {
  const answer = await server.ask("POST", "/api/tokens", { as: adminOf(server), body: { actions } });
  return (JSON.parse(answer.text) as { token: string }).token;
};

describe("a server without PostgreSQL", () => {
  test("says plainly that it has no queue, and how to get one", async () => {
    const server = await startMemoryServer();
    try {
      const { text } = await server.ask("GET", "/api/queue", { as: adminOf(server) });
      expect(JSON.parse(text)).toEqual({ hasQueue: false, tasks: [], counts: {}, pools: [] });
      const retried = await server.ask("POST", "/api/queue/1/retry", { as: adminOf(server), body: {} });
      expect(retried.status).toBe(404);
      expect(retried.json.error).toContain("Start it with DATABASE_URL");
    } finally {
      await server.stop();
    }
  });
});

describe.skipIf(!hasPostgres)("the queue of a server on PostgreSQL", () => {
  let postgres: TestPostgres;
  let server: MemoryServer;
  let queue: Queue;
  beforeAll(async () => {
    postgres = await startPostgres();
    const url = await postgres.createDatabase();
    server = await startMemoryServer({ DATABASE_URL: url });
    queue = await openQueue({ url, poolSize: 4, waitMs: 5_000 }, { log: createSilentLog() });
  });
  afterAll(async () => {
    await queue?.close();
    await server?.stop();
    await postgres?.stop();
  });

  const add = (change: { after?: number[]; priority?: number } = {}) =>
    addJob(queue, {
      worker: "docs",
      task: "fix the links",
      repo: "https://ada:hunter2hunter2@git.example/atlas.git",
      dir: undefined,
      host: undefined,
      isInPlace: false,
      priority: 0,
      after: [],
      maxAttempts: 3,
      ...change,
    });
  const ask = async (method: string, path: string, body?: unknown, as = adminOf(server)) => {
    const { status, text } = await server.ask(method, path, { as, ...(body === undefined ? {} : { body }) });
    return { status, json: JSON.parse(text) as Record<string, unknown> & { error?: string } };
  };

  test("lists tasks, counts and the pools at work, and shows no password of a repository", async () => {
    const first = await add({ priority: 5 });
    const second = await add({ after: [first.id] });
    expect((await claimJob(queue, { pool: "pool-a", host: "a", leaseMs: 60_000 }))?.task.id).toBe(first.id);
    const { json } = await ask("GET", "/api/queue");
    expect(json).toMatchObject({
      hasQueue: true,
      tasks: [
        { id: first.id, state: "running", runHost: "a", pool: "pool-a" },
        { id: second.id, state: "waiting", after: [first.id] },
      ],
      counts: { running: 1, waiting: 1 },
      pools: [{ pool: "pool-a", host: "a", tasks: 1 }],
    });
    expect(JSON.stringify(json)).not.toContain("hunter2");
    const batch = batchOf({ run: { id: "run-of-task-1" }, report: { queueTask: first.id } });
    await server.ask("POST", "/api/fleet/a/docs/events", { body: batch });
    expect((await ask("GET", `/api/queue/${first.id}`)).json["task"]).toMatchObject({ run: "run-of-task-1" });
    const waiting = await ask("GET", "/api/queue?state=waiting");
    expect(waiting.json["tasks"]).toMatchObject([{ id: second.id }]);
    expect((await ask("GET", "/api/queue?state=asleep")).status).toBe(400);
  });

  test("cancels a task at once where nobody runs it, and asks the pool where one does", async () => {
    const idle = await add();
    expect(await ask("POST", `/api/queue/${idle.id}/cancel`, {})).toMatchObject({
      status: 200,
      json: { state: "cancelled", reason: "cancelled before it ran" },
    });
    expect(await ask("POST", `/api/queue/${idle.id}/cancel`, {})).toMatchObject({ status: 409 });
    const [running] = (await ask("GET", "/api/queue?state=running")).json["tasks"] as { id: number }[];
    expect(await ask("POST", `/api/queue/${running?.id}/cancel`, { now: true })).toMatchObject({
      json: { state: "running" },
    });
    const row = await queue.db.get("SELECT cancel FROM queue_tasks WHERE id = $1", [running?.id ?? 0]);
    expect(row).toEqual({ cancel: "now" });
  });

  test("puts a cancelled task back, tells what happened to it, and names one that is not there", async () => {
    const task = await add();
    await ask("POST", `/api/queue/${task.id}/cancel`, {});
    expect(await ask("POST", `/api/queue/${task.id}/retry`, { fresh: true })).toMatchObject({
      status: 200,
      json: { state: "ready" },
    });
    expect(await ask("POST", `/api/queue/${task.id}/retry`, {})).toMatchObject({ status: 409 });
    const { events } = (await ask("GET", `/api/queue/${task.id}`)).json as { events?: unknown };
    expect(events).toMatchObject([
      { kind: "added" },
      { kind: "cancelled" },
      { kind: "retried", text: "from scratch" },
    ]);
    expect(await ask("GET", "/api/queue/99999")).toMatchObject({ status: 404 });
  });

  test("who may watch looks, only who may steer changes, and every change and refusal is in the security log", async () => {
    const task = await add();
    const [watcher, steerer, uploader] = [
      await tokenFor(server, ["watch"]),
      await tokenFor(server, ["steer"]),
      await tokenFor(server, ["upload"]),
    ];
    const look = async (as: string) => (await ask("GET", "/api/queue", undefined, as)).status;
    const act = async (as: string) => (await ask("POST", `/api/queue/${task.id}/cancel`, {}, as)).status;
    expect([await look(watcher), await look(steerer), await look(uploader)]).toEqual([200, 200, 403]);
    expect([await act(watcher), await act(uploader), await act(server.key), await act(steerer)]).toEqual([
      403, 403, 403, 200,
    ]);
    expect((await server.ask("POST", `/api/queue/${task.id}/cancel`, { as: null, body: {} })).status).toBe(
      401,
    );
    const { text } = await server.ask("GET", "/api/security-log", { as: adminOf(server) });
    expect(text).toContain('"event":"queue-change","outcome":"ok"');
    expect(text).toContain('"event":"queue-change","outcome":"refused"');
    expect(text).toContain(`cancel task ${task.id}`);
  });
});
