import { expect, test } from "vitest";
import type { AgentEvent, DriverSession } from "../../agents/driver.ts";
import { createEventQueue } from "../../agents/event-queue.ts";
import { createClock } from "../../core/clock.ts";
import { type WatchLimits, watchAgent } from "./watch-agent.ts";

const MINUTE = 60_000;
const LIMITS: WatchLimits = {
  contextPercent: 75,
  sessionMs: 60 * MINUTE,
  idleMs: 15 * MINUTE,
  stopGraceMs: 3 * MINUTE,
};
const FULL: AgentEvent = { type: "usage", contextTokens: 80, windowTokens: 100, source: "live" };
const TOOL: AgentEvent = { type: "tool-start", id: "t", name: "run", summary: "the test suite" };
const TOOL_END: AgentEvent = { type: "tool-end", id: "t", isError: false };
const INTERRUPTED: AgentEvent = { type: "ended", reason: "interrupted", lastText: "" };

type Step = AgentEvent | "stop" | "stop now" | { passMs: number };

/** An agent that does one thing after the other, each once the watch over it has nothing more to do. */
const watch = async (steps: readonly Step[], limits: Partial<WatchLimits> = {}) => {
  const queue = createEventQueue<AgentEvent>();
  const stops: boolean[] = [];
  let passed = 0;
  const sleepers = new Set<() => void>();
  const clock = {
    ...createClock({ now: () => passed, elapsed: () => passed }),
    sleep: (ms: number, signal?: AbortSignal) =>
      new Promise<void>((resolve) => {
        const until = passed + ms;
        const look = () => {
          if (passed < until && !signal?.aborted) return;
          sleepers.delete(look);
          resolve();
        };
        sleepers.add(look);
        signal?.addEventListener("abort", look);
        look();
      }),
  };
  const session: DriverSession = {
    events: queue,
    child: undefined,
    stopGently: async ({ mayCutTool = false } = {}) => void stops.push(mayCutTool),
    askForNote: async () => undefined,
    spent: () => ({}),
    end: async () => {},
  };
  const asked = new AbortController();
  const now = new AbortController();
  const watching = watchAgent(
    { clock, onEvent: () => {}, stop: { asked: asked.signal, now: now.signal } },
    session,
    { ...LIMITS, ...limits },
  );
  for (const step of steps) {
    if (step === "stop") asked.abort();
    else if (step === "stop now") now.abort();
    else if ("passMs" in step) {
      passed += step.passMs;
      for (const look of sleepers) look();
    } else queue.push(step);
    await new Promise((resolve) => setImmediate(resolve));
  }
  return { ...(await watching), stops };
};

test("a full context waits for the running tool, and then gives the agent its whole time to stop", async () => {
  const { endReason, ended, stops } = await watch([
    TOOL,
    FULL,
    { passMs: 30 * MINUTE },
    TOOL_END,
    { passMs: 2 * MINUTE },
    INTERRUPTED,
  ]);
  expect(endReason).toBe("context");
  expect(ended).toEqual(INTERRUPTED);
  expect(stops).toEqual([false]);
});

test("a stop is heeded while a full context waits for a long tool: the tool may then be cut", async () => {
  const { endReason, stops } = await watch([TOOL, FULL, "stop", { passMs: MINUTE }, INTERRUPTED]);
  expect(endReason).toBe("stopped");
  expect(stops).toEqual([false, true]);
});

test("a full context does not wait for a tool beyond the session's time", async () => {
  const { endReason, ended, stops } = await watch([
    TOOL,
    FULL,
    { passMs: 60 * MINUTE },
    { passMs: 3 * MINUTE },
  ]);
  expect(endReason).toBe("time");
  expect(ended).toBeUndefined();
  expect(stops).toEqual([false, true]);
});

test("an agent that does not stop is given up after its time, at once when that is asked for", async () => {
  expect((await watch([FULL, { passMs: 3 * MINUTE }])).endReason).toBe("context");
  expect((await watch([FULL, "stop now"])).endReason).toBe("stopped");
});

test("an error after a rate limit is the rate limit, unless the model answered in between", async () => {
  const limit: AgentEvent = { type: "rate-limit", message: "weekly limit", resetsAtMs: 9 };
  const error: AgentEvent = { type: "ended", reason: "error", lastText: "", message: "API error" };
  const usage: AgentEvent = { ...FULL, contextTokens: 1 };
  expect(await watch([usage, limit, error])).toMatchObject({
    endReason: "rate-limit",
    progress: { rateLimit: { resetsAtMs: 9 } },
  });
  expect((await watch([limit, usage, error])).endReason).toBe("error");
});

test("an agent that keeps to the budget by itself ended for the cost, another limit of its own is an error", async () => {
  const end: AgentEvent = { type: "ended", reason: "limit", lastText: "", totalCostUsd: 2, message: "limit" };
  expect((await watch([end], { costUsd: 2 })).endReason).toBe("cost");
  expect((await watch([end], { costUsd: 3 })).endReason).toBe("error");
});

test("of what an agent says only the end is kept, however much it is", async () => {
  const { progress } = await watch([
    ...Array.from({ length: 30 }, (): AgentEvent => ({ type: "text", text: "x".repeat(100_000) })),
    { type: "ended", reason: "completed", lastText: "" },
  ]);
  expect(progress.texts.join("").length).toBeLessThanOrEqual(400_000);
});

test("a limit that is told again without its reset keeps the reset that was told before", async () => {
  const first: AgentEvent = { type: "rate-limit", message: "five_hour", resetsAtMs: 7_200_000 };
  const again: AgentEvent = { type: "rate-limit", message: "429 Too Many Requests" };
  const error: AgentEvent = { type: "ended", reason: "error", lastText: "" };
  expect((await watch([first, again, error])).progress.rateLimit).toEqual({
    message: "429 Too Many Requests",
    resetsAtMs: 7_200_000,
  });
});

test("whatever an agent prints keeps it from being idle; silence does not", async () => {
  const streaming: Step[] = Array.from({ length: 20 }, () => [
    { passMs: 10 * MINUTE } as const,
    { type: "activity" } as const,
  ]).flat();
  const end: AgentEvent = { type: "ended", reason: "completed", lastText: "HANDOFF: x" };
  const limits = { sessionMs: 1_000 * MINUTE };
  expect((await watch([...streaming, end], limits)).endReason).toBe("handoff");
  expect((await watch([...streaming, { passMs: 15 * MINUTE }, INTERRUPTED], limits)).endReason).toBe("idle");
});

test("without a window of the agent's own, the one its model is known by stops it at its share", async () => {
  const model: AgentEvent = { type: "model", model: "claude-sonnet-4-5" };
  const usage = (contextTokens: number): AgentEvent => ({ type: "usage", contextTokens, source: "live" });
  const known = await watch([model, usage(149_000), usage(151_000), INTERRUPTED]);
  expect(known).toMatchObject({ endReason: "context", stops: [false] });
  expect(known.progress).toMatchObject({ windowTokens: 200_000, windowSource: "model" });

  const unknown = await watch([{ ...model, model: "my-own" }, usage(95_000), usage(97_000), INTERRUPTED]);
  expect(unknown.endReason).toBe("context");
  expect(unknown.progress).toMatchObject({ windowTokens: 128_000, windowSource: "assumed" });

  const told: AgentEvent = { ...FULL, contextTokens: 97_000, windowTokens: 1_000_000 };
  const end: AgentEvent = { type: "ended", reason: "completed", lastText: "" };
  expect((await watch([usage(90_000), told, usage(98_000), end])).progress).toMatchObject({
    windowTokens: 1_000_000,
    windowSource: "agent",
  });
});
