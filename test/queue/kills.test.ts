// @module-tag long

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { ScriptedStep } from "../../agents/scripted/script.ts";
import { systemClock } from "../../core/clock.ts";
import { AppError } from "../../core/errors.ts";
import { type SpawnedServer, spawnServer } from "../../server/fixtures/spawn-server.ts";
import type { Job } from "../../queue/job.ts";
import { listRows, toJob } from "../../queue/rows.ts";
import { JOB_STATES } from "../../queue/job.ts";
import { hasPostgres } from "../postgres/find-postgres.ts";
import { startPostgres, type TestPostgres } from "../postgres/start-postgres.ts";
import { createRandom } from "../random.ts";
import { type PoolProcess, QueueLab } from "./queue-lab.ts";

const TASKS = Number(process.env["NIGHTSHIFT_QUEUE_TASKS"] ?? (process.env["CI"] ? 60 : 30));
const KILLS = Number(process.env["NIGHTSHIFT_QUEUE_KILLS"] ?? (process.env["CI"] ? 8 : 4));
const SEED = Number(process.env["NIGHTSHIFT_SEED"] ?? Date.now() % 1_000_000);
const HOSTS = ["a", "b", "c"] as const;
const FOLDERS = 8;
const LOOK_MS = 200;
/** Longer than a lease and all that comes after it take on a machine that others use, too. */
const STANDSTILL_MS = 120_000;

/**
 * What the agent of a shared folder does: it holds the folder for as long as it works, and writes down when it
 * finds somebody else in it. The lock is the kernel's, so a killed agent holds nothing.
 */
const WORK_ALONE: ScriptedStep = {
  do: "run",
  command:
    'flock --nonblock .busy sh -c \'echo "begin $NIGHTSHIFT_WORKER" >> work.log; sleep 0.1; echo "end $NIGHTSHIFT_WORKER" >> work.log\' || echo "TWICE $NIGHTSHIFT_WORKER" >> work.log',
};
const COMMIT: ScriptedStep = {
  do: "run",
  command: "echo $NIGHTSHIFT_WORKER >> work.txt && git add --all && git commit --quiet --message line",
};
const DONE: ScriptedStep = { do: "say", text: "DONE: played" };

describe.skipIf(!hasPostgres)("three servers, three pools and one database", () => {
  let database: TestPostgres;
  let lab: QueueLab;
  const servers: (SpawnedServer | undefined)[] = [];
  const pools: (PoolProcess | undefined)[] = [];

  beforeAll(async () => {
    database = await startPostgres();
    lab = await QueueLab.open(await database.createDatabase());
  });
  afterEach(async () => {
    for (const pool of pools) await pool?.end("SIGKILL");
    for (const server of servers) await server?.end("SIGKILL");
  });
  afterAll(async () => {
    await lab?.close();
    await database.stop();
  });

  const startServer = async (index: number): Promise<void> => {
    const host = HOSTS[index] ?? "a";
    const env = { ...lab.environment(host), MEMORY_API_KEY_FILE: join(lab.root, "memory-key") };
    servers[index] = await spawnServer(join(lab.root, host), env);
  };
  const startPool = (index: number): void => {
    pools[index] = lab.pool(HOSTS[index] ?? "a", { slots: 3 });
  };

  /** Tries until the database has acknowledged it. */
  const acknowledged = async <T>(act: () => Promise<T>): Promise<T> => {
    for (;;)
      try {
        return await act();
      } catch (error) {
        if (!(error instanceof AppError) || error.code !== "unavailable") throw error;
        await systemClock.sleep(LOOK_MS);
      }
  };

  const all = async (): Promise<Job[]> =>
    (await acknowledged(() => listRows(lab.queue.db, { states: JOB_STATES, limit: 10_000 }))).map(toJob);
  const isOver = ({ state }: Job): boolean =>
    ["complete", "unverified", "failed", "cancelled", "blocked"].includes(state);

  /** Adds tasks of every kind; those that were acknowledged are returned. */
  const addTasks = async (repo: string): Promise<number[]> => {
    const ids: number[] = [];
    const folders = Array.from({ length: FOLDERS }, (_, index) => lab.folder(`folder-${index}`));
    for (let index = 0; index < TASKS; index++) {
      const dir = folders[index % FOLDERS] ?? "";
      const last = ids.at(-1);
      const task =
        index % 5 === 1
          ? { worker: "pushes", repo }
          : index % 50 === 2
            ? { worker: "fails", dir, isInPlace: true }
            : { worker: "alone", dir, isInPlace: true };
      const after = (index % 10 === 3 || index % 50 === 3) && last !== undefined ? [last] : [];
      ids.push((await acknowledged(() => lab.add({ ...task, after, priority: index % 3 }))).id);
      // The rest comes while pools work and die.
      if (index > TASKS / 2) await systemClock.sleep(50);
    }
    return ids;
  };

  /** Writes learnings through whichever server answers, and returns what was acknowledged. */
  const learn = async (key: () => string, over: AbortSignal): Promise<string[]> => {
    const stored: string[] = [];
    for (let index = 0; !over.aborted; index++) {
      const server = servers[index % servers.length];
      const body = JSON.stringify({
        trigger: `lesson ${index}`,
        learning: `of seed ${SEED}`,
        confidence: 0.5,
      });
      try {
        const answer = await fetch(`${server?.url ?? "http://127.0.0.1:9"}/learn`, {
          method: "POST",
          headers: { "content-type": "application/json", authorization: `Bearer ${key()}` },
          body,
          signal: AbortSignal.timeout(5_000),
        });
        if (answer.ok) stored.push(((await answer.json()) as { id: string }).id);
      } catch {
        // Nobody acknowledged it.
      }
      await systemClock.sleep(LOOK_MS, over);
    }
    return stored;
  };

  /** Waits for a number of tasks that are over; fails with all that is known when nothing gets on, or a pool dies. */
  const waitForOver = async (isEnough: (tasks: Job[]) => boolean): Promise<void> => {
    let last = "";
    let since = performance.now();
    for (;;) {
      const tasks = await all();
      if (isEnough(tasks)) return;
      const death = pools.map((pool) => pool?.findDeath()).find((found) => found !== undefined);
      if (death !== undefined) throw new Error(death);
      const now = tasks
        .map(({ id, state, token, progress }) => `${id} ${state} ${token} ${progress?.session ?? 0}`)
        .join();
      if (now !== last) since = performance.now();
      last = now;
      if (performance.now() - since > STANDSTILL_MS)
        throw new Error(
          `nothing has happened for ${STANDSTILL_MS / 1000} s (seed ${SEED})\n${await lab.report(tasks.filter((task) => !isOver(task)))}`,
        );
      await systemClock.sleep(LOOK_MS);
    }
  };

  /** Kills something at random each time so much more is done, and starts it again at once. */
  const killAround = async (random: () => number): Promise<Record<string, number>> => {
    const killed: Record<string, number> = { server: 0, pool: 0, database: 0 };
    for (let kill = 1; kill <= KILLS; kill++) {
      await waitForOver((tasks) => tasks.filter(isOver).length >= (kill * TASKS * 0.9) / (KILLS + 1));
      const index = Math.floor(random() * HOSTS.length);
      const what = random();
      if (what < 0.4) {
        killed["server"] = (killed["server"] ?? 0) + 1;
        await servers[index]?.end("SIGKILL");
        await startServer(index);
      } else if (what < 0.8) {
        killed["pool"] = (killed["pool"] ?? 0) + 1;
        await pools[index]?.kill();
        startPool(index);
      } else {
        killed["database"] = (killed["database"] ?? 0) + 1;
        await database.kill();
        await database.start();
      }
    }
    return killed;
  };

  test(`${TASKS} tasks under kill -9 of random servers, pools and the database (seed ${SEED}): each ends once, none twice in a folder, nothing acknowledged is lost, no process is left`, async () => {
    const random = createRandom(SEED);
    const repo = lab.origin("atlas");
    lab.worker("alone", [{ steps: [WORK_ALONE, DONE] }]);
    lab.worker("pushes", [{ steps: [COMMIT, DONE] }]);
    lab.worker("fails", [{ steps: [{ do: "fail", message: "no such model" }] }], {
      limits: { sameErrors: 1 },
    });
    await startServer(0);
    await Promise.all([startServer(1), startServer(2)]);
    HOSTS.forEach((_, index) => startPool(index));
    const over = new AbortController();
    const learning = learn(() => readFileSync(join(lab.root, "memory-key"), "utf8").trim(), over.signal);
    const adding = addTasks(repo);
    const killed = await killAround(random);
    const ids = await adding;
    await waitForOver((tasks) => tasks.length >= TASKS && tasks.every(isOver));
    over.abort();
    const stored = await learning;

    const tasks = await all();
    expect(Object.values(killed).reduce((sum, count) => sum + count)).toBe(KILLS);
    expect(ids.filter((id) => !tasks.some((task) => task.id === id))).toEqual([]);
    // Each ended once: complete, or with its reason.
    const ends = await lab.queue.db.all<{ task: number; ends: number }>(
      "SELECT task, count(*) AS ends FROM queue_events WHERE kind IN ('complete', 'unverified', 'failed', 'cancelled') GROUP BY task",
    );
    expect(ends.filter((one) => one.ends !== 1)).toEqual([]);
    expect(ends).toHaveLength(tasks.filter(({ state }) => state !== "blocked").length);
    expect(tasks.filter(({ reason }) => reason === undefined)).toEqual([]);
    const surprises = tasks.filter(({ worker, state }) =>
      worker === "fails" ? state !== "failed" : state !== "complete" && state !== "blocked",
    );
    expect(surprises.map(({ id, state, reason }) => ({ id, state, reason }))).toEqual([]);
    // None twice in a folder: no agent has met another, and each that has ended there has worked.
    const logs = Array.from({ length: FOLDERS }, (_, index) => lab.read(`folder-${index}/work.log`)).join("");
    expect(logs.match(/TWICE.*/g)).toBeNull();
    for (const { worker, state, runName } of tasks)
      if (worker === "alone" && state === "complete") expect(logs).toContain(`end ${runName ?? "?"}\n`);
    // What was pushed is where the queue says, and only the run that counts is named.
    for (const { worker, branch, head, token, runName } of tasks)
      if (worker === "pushes" && head !== undefined) {
        expect(branch).toBe(`nightshift/${runName ?? ""}-${token}`);
        expect(lab.git("atlas.git", "rev-parse", branch ?? "").trim()).toBe(head);
      }
    // Every learning that was acknowledged is there, through any server.
    const exported = await (
      await fetch(`${servers[0]?.url ?? ""}/learnings/export`, {
        headers: { authorization: `Bearer ${readFileSync(join(lab.root, "memory-key"), "utf8").trim()}` },
      })
    ).text();
    expect(stored.length).toBeGreaterThan(0);
    expect(stored.filter((id) => !exported.includes(id))).toEqual([]);
    // Drained, nothing is left.
    expect(await Promise.all(pools.map(async (pool) => pool?.end("SIGTERM")))).toEqual([0, 0, 0]);
    await Promise.all(servers.map(async (server) => server?.end("SIGTERM")));
    expect(lab.processes()).toEqual([]);
  }, 1_500_000);
});
