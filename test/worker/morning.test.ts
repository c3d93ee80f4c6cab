import { afterEach, beforeEach, expect, test } from "vitest";
import type { Report } from "../../worker/report/report.ts";
import { say, WorkerLab } from "./worker-lab.ts";

let lab: WorkerLab;
beforeEach(() => {
  lab = new WorkerLab();
});
afterEach(() => lab.dispose());

test("in the morning the commands say what became of a worker: report, diff, handoff, events, log", async () => {
  lab.gateOn("fixed.txt");
  const command = "echo one > fixed.txt && git add -A && git commit -qm 'Add fixed.txt'";
  lab.play({
    parts: [
      { steps: [{ do: "run", command }, say("HANDOFF: fixed.txt is there, say so")] },
      { steps: [say("DONE: all there")] },
    ],
  });
  await lab.start("docs");
  await lab.ended("docs");

  const { out, code } = await lab.worker("report", "--json");
  expect(code).toBe(0);
  const report = JSON.parse(out) as Report;
  expect(report.totals).toMatchObject({ workers: 1, byOutcome: { complete: 1 }, sessions: 2, commits: 1 });
  expect(report.workers[0]).toMatchObject({
    name: "docs",
    outcome: "complete",
    needsYou: false,
    diffstat: { files: 1, insertions: 1, deletions: 0 },
    gates: "healthy",
    next: "worker diff docs",
  });
  expect((await lab.worker("report", "docs", "--markdown")).out).toContain("## docs: complete");
  expect((await lab.worker("report", "--html")).out).toMatch(/^<!doctype html>/);
  const wrong = await lab.worker("report", "--since", "yesterday");
  expect([wrong.code, wrong.err]).toEqual([
    64,
    'error: --since is "yesterday"; it must be like 90m, 12h or 2d\n',
  ]);

  expect((await lab.worker("diff", "docs")).out).toContain("+one");
  expect((await lab.worker("diff", "docs", "--stat")).out).toContain("1 file changed");
  expect((await lab.worker("handoff", "docs", "1")).out).toContain("fixed.txt is there, say so");
  const none = await lab.worker("handoff", "docs", "9");
  expect([none.code, none.err]).toEqual([
    66,
    "error: worker docs has no handoff of session 9; there are those of session 1, 2\n",
  ]);
  const events = (await lab.worker("events", "docs", "--json", "-n", "1")).out;
  expect(JSON.parse(events)).toMatchObject({ type: "end", status: "complete" });
  expect((await lab.worker("log", "docs", "--json", "-n", "1")).out).toBe(events);
  expect((await lab.worker("log", "docs")).out).toContain("agent: DONE: all there");
});
