// @module-tag long

import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { canMount, mountSmallDisk } from "../small-disk.ts";
import { HANG, say, START, WorkerLab } from "./worker-lab.ts";

let lab: WorkerLab;
beforeEach(() => {
  lab = new WorkerLab();
});
afterEach(() => lab.dispose());

test.each([
  [
    "prints garbage and leaves",
    { command: "sh", args: ["-c", "head -c 20000 /dev/urandom; echo; exit 0"], protocol: "jsonl" },
    /left before its turn ended|turn/,
  ],
  [
    "exits at once with an error",
    { command: "sh", args: ["-c", "echo 'bad key' >&2; exit 3"] },
    /bad key|exit/,
  ],
  ["is killed by a signal", { command: "sh", args: ["-c", "kill -9 $$"] }, /SIGKILL|ended/],
])("an agent that %s fails after three tries with backoff, without a hot loop", async (_, agent, message) => {
  writeFileSync(
    join(lab.repository, "agent.config.json"),
    JSON.stringify({
      agents: { mine: agent },
      workers: { w: { task: "x", limits: { backoffSeconds: 0.05 } } },
    }),
  );
  expect((await lab.worker("start", "w", "--agent", "mine")).code).toBe(0);
  const state = await lab.ended("w");
  expect(state).toMatchObject({ status: "failed", session: 3 });
  expect(state.stopReason).toMatch(/the same error 3 times in a row/);
  expect(state.sessions[0]?.error).toMatch(message);
  expect(readFileSync(join(lab.workers, "w.log"), "utf8").match(/pausing/g)).toHaveLength(2);
});

test("says what is wrong with a state folder that cannot be written, and starts nothing", async () => {
  lab.play(HANG);
  writeFileSync(join(lab.folder, "file"), "");
  const run = await lab.run("worker", ["start", "w", ...START], {
    env: { WORKERS_HOME: join(lab.folder, "file/workers") },
  });
  expect(run.code).toBe(69);
  expect(run.err).toContain(join(lab.folder, "file/workers"));
  const damaged = join(lab.workers, "bad.json");
  mkdirSync(lab.workers, { recursive: true });
  writeFileSync(damaged, "{ half");
  const list = await lab.worker("list");
  expect(list).toMatchObject({ code: 0 });
  expect(list.err).toContain(`${damaged} is not JSON`);
  expect((await lab.worker("start", "bad", ...START)).code).toBe(65);
});

test.skipIf(!canMount)("refuses to start on a full disk with exit 74, half-written nothing", async () => {
  lab.play(HANG);
  const full = join(lab.folder, "full");
  const unmount = mountSmallDisk(full, "64k");
  try {
    spawnSync("sh", ["-c", `head -c 200k /dev/zero > ${full}/fill`]);
    const run = await lab.run("worker", ["start", "w", ...START], { env: { WORKERS_HOME: full } });
    expect(run.code).toBe(74);
    expect(run.err).toContain("the disk is full; free some room and try again");
    expect(existsSync(join(full, "w.json"))).toBe(false);
  } finally {
    unmount();
  }
});

test("a memory service that hangs holds a session up for two seconds at most, once", async () => {
  const server = createServer(() => undefined);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const url = typeof address === "object" && address ? `http://127.0.0.1:${address.port}` : "";
  lab.play({ parts: [{ steps: [say("DONE: without memory")] }] }, { memory: { url } });
  await lab.start("w");
  expect((await lab.ended("w")).status).toBe("unverified");
  expect(readFileSync(join(lab.workers, "w.log"), "utf8")).toContain(`${url} did not answer within 2 s`);
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});
