// @module-tag long

import { afterEach, beforeEach, expect, test } from "vitest";
import type { ScriptedStep } from "../../agents/scripted/script.ts";
import { createClock } from "../../core/clock.ts";
import { listLiveMarks } from "../../core/process-tree.ts";
import { FINISH, Night } from "./night.ts";

let night: Night;
beforeEach(() => {
  night = new Night();
});
afterEach(() => night.dispose());

const HOUR = 3_600_000;
const MINUTE = 1 / 60_000; // one millisecond, in the config's minutes
const healthy = { health: "exit 0" };
const write: ScriptedStep = { do: "append", file: "work.txt", text: "line {{session}}\n" };
const endReasons = (state: { sessions: { endReason?: string }[] }) =>
  state.sessions.map(({ endReason }) => endReason);
const commit: ScriptedStep = { do: "run", command: "git add -A && git commit -qm 'line {{session}}'" };

/** Clocks that can be moved by hand while a worker runs, so that no limit depends on how busy the machine is. */
const movableClock = () => {
  const moved = { span: 0, day: 0 };
  night.clock = createClock({
    now: () => Date.now() + moved.day,
    elapsed: () => performance.now() + moved.span,
    pieceMs: 20,
  });
  return moved;
};
const untilSaid = (text: string) =>
  night.until(`"${text}"`, () => night.events().some((event) => event["text"] === text));
const untilTool = (count = 1) =>
  night.until(
    `tool ${count}`,
    () => night.events().filter(({ type }) => type === "tool-start").length === count,
  );

test("an agent that is silent while no tool runs is idle; it is asked for its note, and the next session goes on", async () => {
  const request = await night.plan({
    ...healthy,
    limits: { handoffMinutes: 100 * MINUTE },
    parts: [
      {
        steps: [write, commit, { do: "say", text: "thinking" }, { do: "think" }],
        note: "HANDOFF: it hung",
      },
      { steps: FINISH },
    ],
  });
  const moved = movableClock();
  const ended = night.run(request);
  await untilSaid("thinking");
  moved.span = HOUR / 4;
  const state = await ended;
  expect(state).toMatchObject({ status: "complete" });
  expect(endReasons(state)).toEqual(["idle", "done"]);
  expect(listLiveMarks().has(state.sessions[0]?.mark ?? "")).toBe(false);
});

test("a tool that runs longer than the idle limit without a word is work, not idleness", async () => {
  const request = await night.plan({
    ...healthy,
    limits: { sessionMinutes: 10_000 },
    parts: [{ steps: [{ do: "waitForFile", file: "../go/on" }, ...FINISH] }],
  });
  const moved = movableClock();
  const ended = night.run(request);
  await untilTool();
  moved.span = 20 * HOUR;
  night.write("go/on", "");
  expect(await ended).toMatchObject({ status: "complete", sessions: [{ endReason: "done" }] });
});

test("a wall clock that is set, back or forth, ends no session and prolongs none", async () => {
  const request = await night.plan({
    ...healthy,
    limits: { handoffMinutes: 100 * MINUTE },
    parts: [
      {
        steps: [
          { do: "waitForFile", file: "../go/on" },
          { do: "say", text: "HANDOFF: slow" },
        ],
      },
      {
        steps: [
          { do: "waitForFile", file: "../go/back" },
          write,
          commit,
          { do: "say", text: "thinking" },
          { do: "think" },
        ],
        note: null,
      },
      { steps: FINISH },
    ],
  });
  const moved = movableClock();
  const ended = night.run(request);
  await untilTool(1);
  moved.day = 20 * HOUR;
  night.write("go/on", "");
  await untilTool(2);
  moved.day = -20 * HOUR;
  night.write("go/back", "");
  await untilSaid("thinking");
  moved.span = HOUR / 4;
  expect(endReasons(await ended)).toEqual(["handoff", "idle", "done"]);
});

test("a session that takes too long is stopped, with a tool that never ends, and the next one goes on", async () => {
  const request = await night.plan({
    ...healthy,
    limits: { handoffMinutes: 100 * MINUTE },
    parts: [{ steps: [write, commit, { do: "hang", stubborn: true }] }, { steps: FINISH }],
  });
  const moved = movableClock();
  const ended = night.run(request);
  await untilTool(3);
  moved.span = HOUR;
  const state = await ended;
  expect(state).toMatchObject({ status: "complete" });
  expect(endReasons(state)).toEqual(["time", "done"]);
});

test("the worker's total time ends it, in the middle of a session too", async () => {
  const request = await night.plan({
    limits: { totalHours: 3, handoffMinutes: 100 * MINUTE },
    parts: [{ steps: [write, { do: "hang" }] }],
  });
  const moved = movableClock();
  const ended = night.run(request);
  await untilTool(2);
  moved.day = 3 * HOUR;
  const state = await ended;
  expect(state).toMatchObject({ status: "stopped", stopReason: "total time limit of 3 h" });
  expect(endReasons(state)).toEqual(["time"]);
});

const spend = (costUsd: number, contextTokens = 1000): ScriptedStep => ({
  do: "usage",
  contextTokens,
  windowTokens: 200_000,
  costUsd,
});

test("the cost of all sessions together ends the worker before it spends more", async () => {
  const request = await night.plan({
    limits: { costUsd: 1 },
    parts: [
      {
        steps: [write, commit, spend(0.4), { do: "say", text: "HANDOFF: more" }],
      },
      { steps: [write, commit, spend(0.7), write, { do: "say", text: "DONE: never said" }] },
    ],
  });
  const state = await night.run(request);
  expect(state.status).toBe("stopped");
  expect(state.stopReason).toBe("cost limit: 1.10 of 1.00 USD used");
  expect(endReasons(state)).toEqual(["handoff", "cost"]);
  expect(night.read("night/work.txt")).toBe("line 1\nline 2\n");
  await expect(night.resumeRequest()).rejects.toThrow(/has used up its budget .*limits/);
  const declared = night.config.workers?.["night"];
  night.config = { ...night.config, workers: { night: { ...declared, limits: { costUsd: 5 } } } };
  expect((await night.resumeRequest()).limits.costUsd).toBe(5);
});

test("the tokens of all sessions together end the worker, and it says that it was the tokens", async () => {
  const tokens = (total: number): ScriptedStep => ({
    do: "raw",
    text: `${JSON.stringify({ type: "usage", contextTokens: 10, totalTokens: total })}\n`,
  });
  const request = await night.plan({
    limits: { tokens: 5_000, handoffMinutes: 100 * MINUTE },
    parts: [
      { steps: [write, commit, tokens(2_000), { do: "say", text: "HANDOFF: more" }] },
      { steps: [write, commit, tokens(3_500), { do: "wait", ms: 60_000 }] },
    ],
  });
  const state = await night.run(request);
  expect(state).toMatchObject({
    status: "stopped",
    stopReason: "token limit: 5500 of 5000 used",
    tokens: 5_500,
  });
});

test("three sessions in a row without a commit or a change stall it, once, and a resume begins a new count", async () => {
  const request = await night.plan({ parts: [{ steps: [{ do: "say", text: "HANDOFF: I looked around" }] }] });
  const state = await night.run(request);
  expect(state).toMatchObject({
    status: "stalled",
    session: 3,
    stopReason: "3 sessions in a row without a commit or a change",
  });
  const again = await night.run(await night.resumeRequest());
  expect(again).toMatchObject({ status: "stalled", session: 6 });
  expect(night.events().filter((event) => event.type === "end")).toHaveLength(2);
});

test("a session that changes something in between keeps it from stalling", async () => {
  const look: ScriptedStep[] = [{ do: "say", text: "HANDOFF: I looked around" }];
  const request = await night.plan({
    max: 5,
    parts: [{ steps: look }, { steps: look }, { steps: [write, ...look] }, { steps: look }, { steps: look }],
  });
  expect(await night.run(request)).toMatchObject({ status: "max-reached", session: 5 });
});

test("the same error three times in a row fails it, with growing pauses between, whatever its numbers are", async () => {
  const pauses: number[] = [];
  const { clock } = night;
  night.clock = {
    ...clock,
    sleep: (ms, signal) => {
      if (ms % 10_000 !== 0 || ms > 60_000) return clock.sleep(ms, signal);
      pauses.push(ms);
      return Promise.resolve();
    },
  };
  const request = await night.plan({
    limits: { backoffSeconds: 10, idleMinutes: 9.99 },
    parts: [1, 2, 3, 4].map((n) => ({
      steps: [write, { do: "fail", message: `cannot open /tmp/x${n}: code ${n}` }] as ScriptedStep[],
    })),
  });
  const state = await night.run(request);
  expect(state).toMatchObject({ status: "failed", session: 3 });
  expect(state.stopReason).toBe("the same error 3 times in a row: cannot open /tmp/x3: code 3");
  expect(pauses).toEqual([10_000, 20_000]);
});

test("three different errors are not the same error", async () => {
  const request = await night.plan({
    max: 3,
    parts: ["no disk", "no network", "no luck"].map((message) => ({
      steps: [write, { do: "fail", message }] as ScriptedStep[],
    })),
  });
  expect(await night.run(request)).toMatchObject({ status: "max-reached" });
});

test("a resumed worker asks memory and past conversations as a started one does", async () => {
  night.config = { memory: { url: "http://127.0.0.1:9" }, recall: { maxTokens: 300 } };
  const request = await night.plan({ ...healthy, parts: [{ steps: FINISH }] });
  await night.run(request);
  const { memory, recall, fleet } = await night.resumeRequest();
  expect(memory).toBeDefined();
  expect(recall).toMatchObject({ maxTokens: 300 });
  expect({ memory, recall, fleet }).toEqual({
    memory: request.memory,
    recall: request.recall,
    fleet: request.fleet,
  });
});

test("a resume goes on from the last handoff with the count of sessions kept", async () => {
  const request = await night.plan({
    ...healthy,
    max: 1,
    parts: [{ steps: [write, commit, { do: "say", text: "HANDOFF: half of it" }] }, { steps: FINISH }],
  });
  expect(await night.run(request)).toMatchObject({ status: "max-reached", session: 1 });
  const state = await night.run(await night.resumeRequest());
  expect(state).toMatchObject({ status: "complete", session: 2, max: 11 });
  const prompt = night.events().findLast((event) => event.type === "prompt")?.["prompt"];
  expect(prompt).toContain("half of it");
});
