// @module-tag long

import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Script } from "../../agents/scripted/script.ts";
import { findIdentity, isAlive } from "../../core/process-identity.ts";
import { waitFor } from "../wait-for.ts";
import type { CrashFacts } from "../../scripts/commands/worker/crash-facts.ts";
import { HANG, say, START, WorkerLab } from "./worker-lab.ts";

let lab: WorkerLab;
beforeEach(() => {
  lab = new WorkerLab();
});
afterEach(() => lab.dispose());

const steps: [string, Script, () => Promise<() => Promise<void>>][] = [
  [
    "gates",
    HANG,
    async () => {
      lab.put(
        "gates/health.sh",
        "#!/bin/sh\ntouch ../gate-runs\nwhile ! test -f ../go; do sleep 0.02; done\n",
        0o755,
      );
      return async () => void (await waitFor("the gate", () => existsSync(join(lab.folder, "gate-runs"))));
    },
  ],
  ["the agent's work", HANG, async () => async () => void (await lab.hasSaid("w", "up"))],
  [
    "a tool call",
    { parts: [{ steps: [{ do: "run", command: "echo $$ > ../tool; exec sleep 60" }] }] },
    async () => async () => void (await waitFor("the tool", () => existsSync(join(lab.folder, "tool")))),
  ],
  [
    "the closing note",
    { parts: [{ steps: [{ do: "usage", contextTokens: 160_000, windowTokens: 200_000 }], note: null }] },
    async () => async () =>
      void (await waitFor("the note request", () =>
        readFileSync(join(lab.workers, "w.log"), "utf8").includes("asked the agent for a closing note"),
      )),
  ],
];

test.each(steps)(
  "during %s: list says crashed, nothing of it runs on, the next start takes over",
  async (_, script, prepare) => {
    const reached = await prepare();
    lab.play(script);
    await lab.start("w");
    await reached();
    const crashed = lab.state("w");
    process.kill(crashed?.supervisor.pid ?? 0, "SIGKILL");
    await waitFor("the supervisor to be gone", () => crashed && !isAlive(crashed.supervisor));
    const { out } = await lab.worker("list", "--json");
    expect(JSON.parse(out)).toMatchObject([{ name: "w", status: "crashed", recordedStatus: "running" }]);
    writeFileSync(join(lab.folder, "go"), "");
    if (script === HANG) lab.put("gates/health.sh", "#!/bin/sh\nexit 0\n", 0o755);
    lab.play({ parts: [{ steps: [say("DONE: after the crash")] }] });
    await lab.start("w");
    expect((await lab.ended("w")).sessions[0]?.endReason).toBe("done");
    for (const { mark } of crashed?.sessions ?? [])
      expect(
        execFileSync("sh", ["-c", `grep -la ${mark} /proc/[0-9]*/environ 2>/dev/null || true`], {
          encoding: "utf8",
        }),
      ).toBe("");
  },
);

test("at 25 random moments leaves a state that parses and a directory that starts again", async () => {
  lab.gateOn("README");
  const busy: Script = {
    parts: [{ steps: [{ do: "usage", contextTokens: 160_000, windowTokens: 200_000 }], note: "HANDOFF: on" }],
  };
  lab.play(busy, { workers: { w: { max: 1000, limits: { stalledSessions: 1000 } } } });
  let delay = 7;
  for (let round = 0; round < 25; round++) {
    const started = await lab.worker("start", "w", ...START);
    expect(started).toMatchObject({ code: 0 });
    delay = (delay * 31 + 17) % 400;
    const killAt = performance.now() + delay;
    const pid = await waitFor(
      "the moment",
      () => performance.now() > killAt && lab.state("w")?.supervisor.pid,
    );
    process.kill(pid, "SIGKILL");
    await waitFor("the end", () => findIdentity(pid) === undefined);
    expect(lab.state("w")?.shown).toBe("crashed");
  }
  lab.play({ parts: [{ steps: [say("DONE: at last")] }] });
  await lab.start("w");
  expect((await lab.ended("w")).status).toBe("complete");
  expect(
    readdirSync(lab.workers, { recursive: true }).filter((name) => String(name).endsWith(".tmp")),
  ).toEqual([]);
});

test("resume goes on from the last handoff with the count of sessions so far", async () => {
  lab.gateOn("README");
  lab.play({
    parts: [
      {
        steps: [
          { do: "write", file: "a.txt", text: "a" },
          { do: "usage", contextTokens: 160_000, windowTokens: 200_000 },
        ],
        note: "HANDOFF: half done",
      },
      { steps: [say("up"), { do: "hang" }] },
      { steps: [{ do: "run", command: "git add -A && git commit -qm all" }, say("DONE: whole")] },
    ],
  });
  await lab.start("w");
  await lab.hasSaid("w", "up");
  process.kill(lab.state("w")?.supervisor.pid ?? 0, "SIGKILL");
  await waitFor("the crash", () => lab.state("w")?.shown === "crashed");
  expect((await lab.worker("resume", "w")).code).toBe(0);
  const state = await lab.ended("w");
  expect(state).toMatchObject({ status: "complete", session: 3 });
  expect(state.sessions.map((record) => record.endReason)).toEqual(["context", "error", "done"]);
  expect(lab.prompts("w").at(-1)).toContain("half done");
  expect(lab.git(lab.repository, "show", "refs/nightshift/rescue/w/2:a.txt")).toBe("a");
});

test("status of a crashed worker tells its commits, its half-written files and what runs on", async () => {
  lab.gateOn("README");
  lab.play({
    parts: [
      {
        steps: [
          { do: "run", command: "echo a > a.txt && git add -A && git commit -qm 'First half'" },
          { do: "write", file: "half.txt", text: "hal" },
          say("up"),
          { do: "hang", stubborn: true },
        ],
      },
    ],
  });
  await lab.start("w", "--sandbox", "none"); // in one nothing outlives its supervisor
  await lab.hasSaid("w", "up");
  expect((await lab.worker("list")).out).toMatch(/ 1\/10 /);
  process.kill(lab.state("w")?.supervisor.pid ?? 0, "SIGKILL");
  await waitFor("the crash", () => lab.state("w")?.status === "crashed");
  const { crash } = JSON.parse((await lab.worker("status", "w", "--json")).out) as { crash: CrashFacts };
  expect(crash.commits).toEqual([expect.stringMatching(/^[0-9a-f]+ First half$/)]);
  expect(crash.uncommitted).toEqual(["half.txt"]);
  expect(crash.orphans).toEqual(lab.leftovers("w"));
  expect(crash.orphans.length).toBeGreaterThan(0);
  const { out } = await lab.worker("status", "w");
  expect(out).toMatch(/1 commit: [0-9a-f]+ First half/);
  expect(out).toContain("1 uncommitted path: half.txt");
  expect(out).toContain(`still running: pid ${crash.orphans[0]}`);
});
