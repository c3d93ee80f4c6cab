// @module-tag long

import { spawnSync } from "node:child_process";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, onTestFinished, test } from "vitest";
import { findIdentity } from "../../core/process-identity.ts";
import { waitFor } from "../wait-for.ts";
import { say, WorkerLab } from "./worker-lab.ts";

let lab: WorkerLab;
beforeEach(() => {
  lab = new WorkerLab();
});
afterEach(() => lab.dispose());

test("asks for the handoff and ends every process, tools in groups of their own included", async () => {
  lab.play({
    parts: [
      {
        steps: [
          { do: "fork", command: "echo $$ > ../forked; exec sleep 300" },
          {
            do: "run",
            command:
              "(setsid sh -c 'trap \"\" TERM; echo $$ > ../stubborn; while :; do sleep 1; done' >/dev/null 2>&1 &) ; while ! test -s ../stubborn; do sleep 0.01; done",
          },
          say("up"),
          { do: "repeat", times: 2_000, steps: [{ do: "wait", ms: 50 }] },
        ],
        note: "HANDOFF: stopped on the way",
      },
    ],
  });
  const started = spawnSync("sh", ["-c", "sleep 300 >/dev/null 2>&1 & echo $!"], { encoding: "utf8" });
  const bystander = Number(started.stdout.trim());
  onTestFinished(() => void process.kill(bystander));
  // With numbers of processes that mean something here; what a sandbox ends is in sandbox/escapes/.
  await lab.start("w", "--sandbox", "none");
  await lab.hasSaid("w", "up");
  const stopped = await lab.worker("stop", "w");
  expect(stopped.out).toContain("w: running -> stopped (stopped by request)");
  for (const name of ["forked", "stubborn"])
    expect(findIdentity(Number(readFileSync(join(lab.folder, name), "utf8")))).toBeUndefined();
  expect(readFileSync(join(lab.workers, "w/handoffs/001.md"), "utf8")).toContain("stopped on the way");
  expect(findIdentity(bystander)).toBeDefined();
});

test("ends at once with --now, and a stop for a dead worker does not stop its next run", async () => {
  lab.play({ parts: [{ steps: [say("up"), { do: "hang", stubborn: true }], note: null }] });
  await lab.start("w");
  await lab.hasSaid("w", "up");
  expect((await lab.worker("stop", "w", "--now")).out).toContain("stopped");
  expect(lab.leftovers("w")).toEqual([]);
  expect((await lab.worker("stop", "w")).code).toBe(0);
  lab.play({ parts: [{ steps: [say("DONE: again")] }] });
  await lab.start("w");
  expect((await lab.ended("w")).status).toBe("unverified");
});

test("adjust changes the running loop, and remove forgets only what has ended", async () => {
  lab.play({
    parts: [
      { steps: [say("up"), { do: "waitForFile", file: "../go" }, say("HANDOFF: next")] },
      { steps: [say("DONE: adjusted")] },
    ],
  });
  await lab.start("w", "--max", "1");
  await lab.hasSaid("w", "up");
  expect((await lab.worker("remove", "w")).code).toBe(75);
  expect((await lab.worker("adjust", "w", "--task", " ")).code).toBe(64);
  expect((await lab.worker("adjust", "w", "--max", "5", "--task", "another task")).code).toBe(0);
  await waitFor("the adjustment", () => lab.state("w")?.max === 5);
  writeFileSync(join(lab.folder, "go"), "");
  expect(await lab.ended("w")).toMatchObject({ status: "unverified", session: 2, task: "another task" });
  expect(lab.prompts("w").at(-1)?.startsWith("WORKER MODE: another task\n")).toBe(true);
  expect((await lab.worker("adjust", "w", "--max", "5")).code).toBe(75);
  expect((await lab.worker("log", "w", "-n", "1")).out).toContain("worker w ended: unverified");
  expect((await lab.worker("remove", "w")).code).toBe(0);
  expect(readdirSync(lab.workers)).toEqual([".ledger", ".locks"]);
  expect(readdirSync(join(lab.workers, ".locks"))).toEqual([]);
  expect((await lab.worker("status", "w")).code).toBe(66);
});
