// @module-tag long

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { Part } from "../../agents/scripted/script.ts";
import { systemClock } from "../../core/clock.ts";
import { signalProcess } from "../../core/process-tree.ts";
import { listRows, toJob } from "../../queue/rows.ts";
import { type Job, JOB_STATES } from "../../queue/job.ts";
import { hasPostgres } from "../postgres/find-postgres.ts";
import { startPostgres, type TestPostgres } from "../postgres/start-postgres.ts";
import { createRandom, pick } from "../random.ts";
import { findVictims, VICTIM_KINDS, type VictimKind } from "../victims.ts";
import { GitServer } from "./git-server.ts";
import { type PoolProcess, QueueLab } from "./queue-lab.ts";

/** `.ci/run` asks for 50. */
const KILLS = Number(process.env["NIGHTSHIFT_WORKER_KILLS"] ?? 16);
const SEED = Number(process.env["NIGHTSHIFT_SEED"] ?? Date.now() % 1_000_000);
const IS_SOAK = KILLS >= 50;
const AWAY_MS = IS_SOAK ? 10_000 : 2_000;
/** Longer than it is away: a task that cannot be prepared waits longer each time. */
const THERE_MS = IS_SOAK ? 30_000 : 4_000;
const OPEN_TASKS = 6;
/** How long one kind of victim is looked for before another one is. */
const LOOK_FOR_MS = 3_000;
const STANDSTILL_MS = 120_000;
const OVER = ["complete", "unverified", "failed", "cancelled", "blocked"];

/** Every session throws away what lies uncommitted, then writes lines, and commits after each. */
const writeLines = (account: string): Part => ({
  steps: [
    { do: "run", command: "git reset -q --hard; git clean -qfd" },
    {
      do: "repeat",
      times: 8,
      steps: [
        {
          do: "run",
          // The account is written behind the work: a line in it was certainly written.
          command: `read line < /proc/sys/kernel/random/uuid; echo $line >> work.txt && echo $line >> ${account}/$NIGHTSHIFT_WORKER`,
        },
        { do: "run", command: "git add -A && git commit -qm more" },
      ],
    },
    { do: "run", command: "git add -A; git commit -qm rest" },
    { do: "say", text: "DONE: all lines" },
  ],
});

describe.skipIf(!hasPostgres)("pools whose workers are killed, and whose git server goes away", () => {
  let database: TestPostgres;
  let lab: QueueLab;
  let server: GitServer;
  let pools: PoolProcess[] = [];

  beforeAll(async () => {
    database = await startPostgres();
    lab = await QueueLab.open(await database.createDatabase());
  });
  afterEach(async () => {
    await server.goAway();
    for (const pool of pools) await pool.end("SIGKILL");
  });
  afterAll(async () => {
    await lab?.close();
    await database.stop();
  });

  const all = async (): Promise<Job[]> =>
    (await listRows(lab.queue.db, { states: JOB_STATES, limit: 10_000 })).map(toJob);
  const isOpen = ({ state }: Job): boolean => !OVER.includes(state);
  const isPausing = ({ state, reason }: Job): boolean =>
    state === "ready" && (reason?.startsWith("again ") ?? false);

  const account = (): string => join(lab.root, "account");
  const accountOf = (name: string): string[] => readFileSync(join(account(), name), "utf8").split("\n");
  const written = (): string[] => readdirSync(account()).flatMap(accountOf).filter(Boolean);

  const hits = new Map<VictimKind, number>(VICTIM_KINDS.map((kind) => [kind, 0]));
  const countHits = (): number => [...hits.values()].reduce((sum, count) => sum + count);

  let last = "";
  let since = performance.now();
  /** Fails with all that is known when a pool dies by itself or nothing gets on. */
  const watch = async (tasks: readonly Job[]): Promise<void> => {
    const death = pools.map((pool) => pool.findDeath()).find((found) => found !== undefined);
    if (death !== undefined) throw new Error(death);
    const now = `${countHits()} ${written().length} ${tasks.map(({ id, state, token }) => `${id} ${state} ${token}`).join()}`;
    if (now !== last) since = performance.now();
    last = now;
    if (performance.now() - since > STANDSTILL_MS)
      throw new Error(
        `nothing has happened for ${STANDSTILL_MS / 1000} s (seed ${SEED})\n${await lab.report(tasks.filter(isOpen))}`,
      );
  };

  const outages: number[] = [];
  const comeAndGo = async (over: AbortSignal): Promise<void> => {
    for (;;) {
      await systemClock.sleep(THERE_MS, over);
      if (over.aborted) return;
      await server.goAway();
      outages.push(countHits());
      await systemClock.sleep(AWAY_MS);
      await server.comeBack();
    }
  };

  const strike = async (random: () => number): Promise<void> => {
    const kind = pick(random, VICTIM_KINDS);
    const until = performance.now() + LOOK_FOR_MS;
    while (performance.now() < until) {
      const found = findVictims(lab.root, kind);
      const victim = found.length > 0 ? pick(random, found) : undefined;
      if (victim && signalProcess(victim, "SIGKILL")) {
        hits.set(kind, (hits.get(kind) ?? 0) + 1);
        return;
      }
      await systemClock.sleep(1);
    }
  };

  /** Kills something each time a few lines more are written, with enough tasks open to be hit. */
  const killAround = async (repo: string): Promise<void> => {
    const random = createRandom(SEED);
    for (let next = 0; countHits() < KILLS || outages.length === 0;) {
      const tasks = await all();
      await watch(tasks);
      // One that waits for its next try is no target.
      const targets = tasks.filter((task) => ["ready", "running"].includes(task.state) && !isPausing(task));
      for (let open = targets.length; open < OPEN_TASKS; open++)
        await lab.add({ worker: "writes", repo, maxAttempts: 1_000 });
      if (written().length >= next) {
        await strike(random);
        next = written().length + Math.floor(random() * 3);
      } else await systemClock.sleep(20);
    }
  };

  const waitForTheEnd = async (): Promise<Job[]> => {
    for (;;) {
      const tasks = await all();
      if (!tasks.some(isOpen)) return tasks;
      await watch(tasks);
      // Nothing is killed any more, and nobody waits for five minutes here.
      if (tasks.some(isPausing)) await lab.endPauses();
      await systemClock.sleep(200);
    }
  };

  /** Every line in a ref of this repository. */
  const linesOf = (repository: string): string[] => {
    const refs = lab.git(repository, "for-each-ref", "--format=%(refname):work.txt");
    const input = `${refs}HEAD:work.txt\n`;
    return execFileSync("git", ["-C", join(lab.root, repository), "cat-file", "--batch"], {
      input,
      encoding: "utf8",
      maxBuffer: 2 ** 30,
    }).split("\n");
  };

  /** Every line that is on a branch, in a tree or in a rescue ref. */
  const keptLines = (): Set<string> => {
    const kept = linesOf("atlas.git");
    for (const { host } of pools) {
      const pool = `${host}/.nightshift/pool`;
      for (const name of readdirSync(join(lab.root, pool, "clones")))
        if (name.endsWith(".git")) kept.push(...linesOf(`${pool}/clones/${name}`));
      const work = join(lab.root, pool, "work");
      for (const name of existsSync(work) ? readdirSync(work) : [])
        kept.push(...lab.read(`${pool}/work/${name}/work.txt`).split("\n"));
    }
    return new Set(kept);
  };

  test(`${KILLS} kills -9 of supervisors, agents, tools and git (seed ${SEED}), the git server away for ${AWAY_MS / 1000} s at a time: every line ever written is kept, nothing is complete that is not on the remote, no process is left`, async () => {
    lab.origin("atlas");
    mkdirSync(account());
    server = await GitServer.start(lab.root);
    lab.worker("writes", [writeLines(account())], {
      max: 10_000,
      limits: { sameErrors: 10_000, stalledSessions: 10_000 },
    });
    pools = ["a", "b"].map((host) => lab.pool(host, { slots: 3 }));
    const over = new AbortController();
    const goings = comeAndGo(over.signal);
    await killAround(server.addressOf("atlas.git"));
    over.abort();
    await goings;
    const tasks = await waitForTheEnd();

    expect(tasks.filter(({ state }) => state !== "complete")).toEqual([]);
    for (const { branch, head, token, runName } of tasks) {
      expect(branch).toBe(`nightshift/${runName ?? ""}-${token}`);
      expect(lab.git("atlas.git", "rev-parse", branch ?? "").trim()).toBe(head);
    }
    expect(await Promise.all(pools.map(async (pool) => pool.end("SIGTERM")))).toEqual(pools.map(() => 0));
    await server.goAway();
    expect(lab.processes()).toEqual([]);
    const kept = keptLines();
    expect(written().length).toBeGreaterThan(KILLS);
    expect(written().filter((line) => !kept.has(line))).toEqual([]);
    // Which kind is struck is chance: of few kills, few may fall on one of them.
    const fewest = Math.min(...VICTIM_KINDS.map((kind) => hits.get(kind) ?? 0));
    if (IS_SOAK) expect(fewest).toBeGreaterThan(KILLS >= 100 ? KILLS / 10 : 0);
    console.log(
      `${tasks.length} tasks, ${outages.length} outages, ${written().length} lines, kills: ${[...hits].map((hit) => hit.join(" ")).join(", ")}`,
    );
  }, 1_500_000);
});
