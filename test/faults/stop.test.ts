// @module-tag long

import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { listLiveMarks } from "../../core/process-tree.ts";
import { sendControl } from "../../worker/state/control.ts";
import { describeWait } from "../../worker/loop/stop-worker.ts";
import { FINISH, Night } from "./night.ts";

let night: Night;
beforeEach(() => {
  night = new Night();
});
afterEach(() => night.dispose());

/** A folder where agents and gates may say that they run: those of a DONE run in a checkout and a sandbox of their own. */
const allowMarks = (): string => {
  const folder = join(night.root, "marks");
  mkdirSync(folder);
  night.config = { sandbox: { allowWrite: [folder] } };
  return folder;
};
const longGate = (marks: string): string => `touch ${marks}/gate-runs; sleep 600`;
const untilThere = (file: string) => night.until(file, () => existsSync(join(night.root, "marks", file)));

test("a stop while the gates run ends them, begins no agent, and costs no session", async () => {
  const marks = allowMarks();
  const request = await night.plan({
    health: `test -f ../slow || exit 0\n${longGate(marks)}`,
    parts: [
      {
        steps: [
          { do: "append", file: "a.txt", text: "x\n" },
          { do: "say", text: "HANDOFF: one half" },
        ],
      },
    ],
    max: 1,
  });
  expect(await night.run(request)).toMatchObject({ status: "max-reached", session: 1 });
  night.write("slow", "");
  const stop = new AbortController();
  const running = night.run({ ...(await night.resumeRequest()), max: 5 }, { stop: stop.signal });
  await untilThere("gate-runs");
  stop.abort();
  const state = await running;
  expect(state).toMatchObject({ status: "stopped", stopReason: "stopped by request", session: 1 });
  expect(state.sessions[1]).toMatchObject({ endReason: "stopped", isCounted: false });
  expect(night.events().filter(({ type }) => type === "started")).toHaveLength(1);
  expect(listLiveMarks().has(state.sessions[1]?.mark ?? "")).toBe(false);
  const prompt = night.events().filter(({ type }) => type === "prompt");
  expect(prompt).toHaveLength(1);
  await night.run({ ...(await night.resumeRequest()), max: 2 }, { stop: AbortSignal.abort() });
  expect(night.worker().sessions).toHaveLength(2);
});

test("a stop that is asked for while the supervisor begins is heeded, one of before is not", async () => {
  const request = await night.plan({ health: "exit 0", parts: [{ steps: FINISH }] });
  const { control } = night.files();
  sendControl(control, { type: "stop", isNow: false });
  expect(await night.run(request, { sinceMs: Date.now() + 1 })).toMatchObject({ status: "complete" });
  const sinceMs = Date.now();
  sendControl(control, { type: "stop", isNow: false });
  expect(await night.run(request, { sinceMs })).toMatchObject({ status: "stopped", session: 0 });
});

test("a stop at once does not wait for the gates that check a DONE", async () => {
  const marks = allowMarks();
  const request = await night.plan({
    health: `test -f work.txt || exit 1\n${longGate(marks)}`,
    parts: [{ steps: FINISH }],
  });
  const stopNow = new AbortController();
  const running = night.run(request, { stopNow: stopNow.signal });
  await untilThere("gate-runs");
  stopNow.abort();
  expect(await running).toMatchObject({ status: "stopped", lastGate: { verdict: "blocked" } });
});

test("a gentle stop ends a tool that outlasts its time, asks nobody for a note any more, and says what it waits for", async () => {
  const marks = allowMarks();
  const request = await night.plan({
    health: "exit 0",
    limits: { handoffMinutes: 0.02 },
    parts: [{ steps: [{ do: "run", command: `touch ${marks}/tool-runs; sleep 600` }], note: null }],
  });
  const stop = new AbortController();
  const running = night.run(request, { stop: stop.signal });
  await untilThere("tool-runs");
  const doing = await night.until("the tool in the state", () => night.worker().sessions[0]?.doing);
  expect(doing.what).toContain("sleep 600");
  const words = describeWait(night.worker(), { isNow: false, nowMs: Date.parse(doing.since) + 61_000 });
  expect(words).toMatch(
    /^waiting for night: .*sleep 600 \(for 1 min\); ended 0\.02 min after the request.*worker stop night --now$/,
  );
  stop.abort();
  const state = await running;
  expect(state).toMatchObject({ status: "stopped", stopReason: "stopped by request" });
  expect(state.sessions[0]).toMatchObject({ endReason: "stopped" });
  expect(state.sessions[0]?.doing).toBeUndefined();
  expect(night.log()).not.toContain("asked the agent for a closing note");
  expect(listLiveMarks().has(state.sessions[0]?.mark ?? "")).toBe(false);
});

test("a gentle stop waits for no gate that checks a DONE longer than its time", async () => {
  const marks = allowMarks();
  const request = await night.plan({
    health: `test -f work.txt || exit 1\n${longGate(marks)}`,
    limits: { handoffMinutes: 0.02 },
    parts: [{ steps: FINISH }],
  });
  const stop = new AbortController();
  const running = night.run(request, { stop: stop.signal });
  await untilThere("gate-runs");
  stop.abort();
  expect(await running).toMatchObject({ status: "stopped" });
  expect(night.worker().sessions[0]?.gateAfter).toBeUndefined();
});
