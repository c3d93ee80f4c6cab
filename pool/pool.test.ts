import { expect, test } from "vitest";
import { startPool } from "./fixtures/model/play-schedule.ts";
import { ModelHost, World } from "./fixtures/model/world.ts";
import type { NewJob } from "../queue/add-job.ts";
import type { Machine } from "./machine.ts";

const TASK: NewJob = {
  worker: "docs",
  task: "1",
  repo: undefined,
  dir: "/srv/x",
  host: undefined,
  isInPlace: true,
  priority: 0,
  after: [],
  maxAttempts: 1,
};
const LIMIT_MS = 3_600_000;

const failing = () => {
  throw Object.assign(new Error("i/o error"), { code: "EIO" });
};

test("a machine whose disk or processes cannot be looked at for a while ends no pool", async () => {
  const world = new World();
  const host = new ModelHost("a");
  let looks = 0;
  let starts = 0;
  const change = (machine: Machine): Partial<Machine> => ({
    findShortage: () => (looks++ < 3 ? failing() : undefined),
    endOldRuns: async () => failing(),
    forgetOldRuns: async () => failing(),
    endTask: async () => (starts++ < 1 ? failing() : undefined),
    endRun: async (lease, graceMs) => {
      await machine.endRun(lease, graceMs);
      failing();
    },
  });
  const pool = startPool(world, host, change);
  const { id } = await world.store.add(TASK);
  const isOver = () => world.store.tasks().every(({ state }) => state === "complete");
  expect(await world.time.runUntil(isOver, LIMIT_MS)).toBe(true);
  expect(world.store.kinds(id)).toEqual(["added", "taken", "not prepared", "taken", "complete"]);
  pool.drain.abort();
  expect(await world.time.runUntil(pool.isEnded, LIMIT_MS)).toBe(true);
  expect(world.trace.join("\n")).toContain("whether there is room for a task cannot be told: i/o error");
  // What it could not do it has said; nobody else's work ended for it.
  expect(world.violations.filter((text) => text.includes("died"))).toEqual([]);
});

test("a clock of the day that is set by hours ends no run", async () => {
  const world = new World();
  const host = new ModelHost("a");
  startPool(world, host);
  const { id } = await world.store.add(TASK);
  await world.time.runUntil(() => world.store.tasks()[0]?.phase === "working", LIMIT_MS);
  for (const step of [7_200_000, -14_400_000]) {
    host.clockOffset += step;
    await world.time.runUntil(() => false, 5_000);
  }
  await world.time.runUntil(() => world.store.tasks()[0]?.state === "complete", LIMIT_MS);
  expect(world.store.kinds(id)).toEqual(["added", "taken", "complete"]);
});

test("a supervisor that gives no sign of life is ended, and its task breaks off", async () => {
  const world = new World();
  const pool = startPool(world, new ModelHost("a"));
  const { id } = await world.store.add({ ...TASK, maxAttempts: 2 });
  await world.time.runUntil(() => world.store.tasks()[0]?.phase === "working", LIMIT_MS);
  pool.machine.supervisors[0]?.freeze();
  await world.time.runUntil(() => world.store.tasks()[0]?.state === "complete", LIMIT_MS);
  expect(world.store.kinds(id)).toEqual(["added", "taken", "broken off", "taken", "complete"]);
  expect(world.trace.join("\n")).toContain("its supervisor gave no sign of life for 60 s");
});

test("what the agent of a killed supervisor still does is ended before the run's work is published and its tree goes", async () => {
  const world = new World();
  const order: string[] = [];
  const change = (machine: Machine): Partial<Machine> => ({
    endRun: async (lease, graceMs) => {
      order.push("its processes end");
      await machine.endRun(lease, graceMs);
    },
    prepare: async (claim, signal) => {
      const prepared = await machine.prepare(claim, signal);
      const publish: typeof prepared.result.publish = async (state, until) => {
        order.push("published");
        return prepared.result.publish(state, until);
      };
      return { ...prepared, result: { ...prepared.result, publish } };
    },
  });
  const pool = startPool(world, new ModelHost("a"), change);
  await world.store.add({ ...TASK, dir: undefined, repo: "atlas", isInPlace: false });
  await world.time.runUntil(() => world.store.tasks()[0]?.phase === "working", LIMIT_MS);
  order.length = 0;
  pool.machine.supervisors[0]?.kill();
  await world.time.runUntil(() => world.store.tasks()[0]?.state !== "running", LIMIT_MS);
  expect(order.slice(0, 2)).toEqual(["its processes end", "published"]);
});
