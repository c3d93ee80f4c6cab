import { afterEach, beforeEach, expect, test } from "vitest";
import type { ScriptedStep } from "../../agents/scripted/script.ts";
import { followLedger } from "../../worker/ledger/read-ledger.ts";
import { sumLedger } from "../../worker/ledger/sum-ledger.ts";
import { writeEntry } from "../../worker/ledger/write-ledger.ts";
import { Night } from "./night.ts";

let night: Night;
beforeEach(() => {
  night = new Night();
});
afterEach(() => night.dispose());

const spend = (costUsd: number): ScriptedStep => ({
  do: "usage",
  contextTokens: 1_000,
  windowTokens: 200_000,
  costUsd,
});
const append: ScriptedStep = { do: "append", file: "work.txt", text: "line\n" };
const handoff: ScriptedStep = { do: "say", text: "HANDOFF: more" };
const spent = () => sumLedger(followLedger(night.home).read(), { by: "agent" }).total;

/** What another worker of the same user used a moment ago. */
const spendElsewhere = (costUsd: number, agent = "claude") => {
  const at = new Date().toISOString();
  const fixed = { v: 1, at, worker: "other", project: "other", session: `other ${agent}` } as const;
  writeEntry(night.home, at, { ...fixed, agent, costUsd });
};

test("a running session is stopped at the next boundary when all workers together have reached the budget", async () => {
  night.config = { budget: { perDayUsd: 2, perNightUsd: 100 } };
  const request = await night.plan({
    parts: [
      { steps: [append, spend(0.4), handoff] },
      { steps: [append, spend(0.7), append, spend(1), append] },
    ],
  });
  spendElsewhere(1);
  const state = await night.run(request);
  expect(state).toMatchObject({
    status: "stopped",
    stopReason: "budget limit of this day: 2.10 of 2.00 USD used by all workers",
  });
  expect(state.sessions.map(({ endReason }) => endReason)).toEqual(["handoff", "cost"]);
  expect(night.read("night/work.txt")).toBe("line\nline\n");
  expect(spent().costUsd).toBeCloseTo(2.1);
  expect(night.events().find(({ type }) => type === "budget")).toMatchObject({ period: "day", limitUsd: 2 });
});

test("no session begins while the budget is used up, also not at a start", async () => {
  night.config = { budget: { perNightUsd: 1 } };
  const request = await night.plan({ parts: [{ steps: [append, spend(0.1), handoff] }] });
  spendElsewhere(1);
  const state = await night.run(request);
  expect(state).toMatchObject({
    status: "stopped",
    stopReason: expect.stringContaining("budget limit of this night: 1.00 of 1.00 USD") as string,
    sessions: [],
  });
});

test("the budget of one agent holds that agent alone", async () => {
  const request = await night.plan({
    parts: [{ steps: [append, spend(0.3), handoff] }, { steps: [append, spend(0.3), handoff] }],
  });
  const agents = {
    ...request.agents,
    "plays-night": { ...request.agents["plays-night"], budget: { perDayUsd: 0.5 } },
  };
  spendElsewhere(50);
  const state = await night.run({ ...request, agents });
  expect(state.stopReason).toBe(
    "budget limit of this day for plays-night: 0.60 of 0.50 USD used by all workers",
  );
});

test("an agent that reports neither tokens nor cost is unknown in the ledger, and the log says what cannot be enforced", async () => {
  night.config = { budget: { perDayUsd: 5 } };
  const request = await night.plan({ max: 1, parts: [{ steps: [append, handoff] }] });
  await night.run({ ...request, limits: { ...request.limits, costUsd: 1 } });
  expect(spent()).toEqual({ key: "total", sessions: 1, tokensUnknown: 1, costUnknown: 1 });
  expect(night.log()).toMatch(
    /reports neither tokens nor cost, so limits\.costUsd and budget cannot be enforced/,
  );
});

test(
  "what a session had used when its supervisor was killed counts towards the worker's limit",
  { tags: ["long"] },
  async () => {
    const request = await night.plan({
      limits: { costUsd: 1 },
      parts: [
        { steps: [append, spend(0.4), spend(0.9), { do: "say", text: "up" }, { do: "hang" }] },
        { steps: [append, spend(0.2), append, append] },
      ],
    });
    await night.start(request);
    await night.until("up", () => night.events().some((event) => event["text"] === "up"));
    await night.kill();
    expect(spent().costUsd).toBeCloseTo(0.9);
    const resumed = await night.run(await night.resumeRequest());
    expect(resumed.sessions[0]?.costUsd).toBeCloseTo(0.9);
    expect(resumed.stopReason).toBe("cost limit: 1.10 of 1.00 USD used");
    expect(spent().costUsd).toBeCloseTo(1.1);
  },
);
