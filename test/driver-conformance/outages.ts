import { expect } from "vitest";
import type { TestedAgent } from "../real-agents.ts";
import { contentOf, ofType, readAll, setUp, start, step } from "./room.ts";
import type { Register } from "./scenario.ts";

// What comes between an agent and its model: limits, overload, a connection that breaks, no network at all.

export const describeOutages = (id: TestedAgent, scenario: Register) => {
  scenario("overload", async () => {
    const { agent, model } = await setUp(id, {
      sessions: [
        {
          turns: [
            step("one", 21_000),
            { fault: { kind: "status", status: 529, message: "scripted: overloaded" } },
            { text: "DONE: after all", contextTokens: 22_000 },
          ],
        },
      ],
    });
    const events = await readAll(await start(agent, "WORKER MODE: one step"));
    expect(contentOf("steps.log")).toBe("one\n");
    expect(ofType(events, "rate-limit")).toEqual([]);
    // The tests turn off that Claude Code, Codex and pi try again by themselves (test/real-agents.ts).
    const ended = events.at(-1);
    const isCompleted = ended?.type === "ended" && ended.reason === "completed";
    expect(ended).toMatchObject(
      isCompleted
        ? { lastText: "DONE: after all" }
        : { reason: "error", message: expect.stringMatching(/529|overloaded/i) },
    );
    expect(model.turns()).toHaveLength(isCompleted ? 3 : 2);
  });

  scenario("limit", async () => {
    const resetsAtMs = (Math.floor(Date.now() / 1000) + 3600) * 1000;
    const { agent } = await setUp(id, {
      sessions: [{ turns: [{ fault: { kind: "rate-limit", resetsAtMs } }] }],
    });
    const events = await readAll(await start(agent, "WORKER MODE: too much"));
    expect(events.at(-1)).toMatchObject({ type: "ended", reason: "rate-limit" });
    const [limit] = ofType(events, "rate-limit");
    expect(limit?.message).not.toBe("");
    // Claude Code tells the reset to subscribers only; with an API key it says nothing of it.
    if (agent.driver.capabilities.rateLimitReset && agent.driver.id !== "claude")
      expect(Math.abs((limit?.resetsAtMs ?? 0) - resetsAtMs)).toBeLessThan(5_000);
  });

  scenario("limitWithoutReset", async () => {
    const { agent } = await setUp(id, { sessions: [{ turns: [{ fault: { kind: "rate-limit" } }] }] });
    const events = await readAll(await start(agent, "WORKER MODE: too much"));
    expect(events.at(-1)).toMatchObject({ type: "ended", reason: "rate-limit" });
    expect(ofType(events, "rate-limit")[0]?.resetsAtMs).toBeUndefined();
  });

  scenario("network", async () => {
    const { agent, model } = await setUp(id, {
      sessions: [
        {
          turns: [step("one", 21_000), { text: "DONE: after all", contextTokens: 22_000, thinkMs: 1_000 }],
        },
      ],
    });
    const session = await start(agent, "WORKER MODE: one step");
    let comeBack = async () => {};
    let timer: NodeJS.Timeout | undefined;
    const events = await readAll(session, async (event) => {
      if (event.type !== "tool-end" || timer) return;
      comeBack = await model.goAway();
      timer = setTimeout(() => void comeBack(), 30_000);
    });
    clearTimeout(timer);
    expect(contentOf("steps.log")).toBe("one\n");
    expect(ofType(events, "rate-limit")).toEqual([]);
    const ended = events.at(-1);
    expect(ended).toMatchObject({ type: "ended" });
    if (ended?.type !== "ended") return;
    if (ended.reason === "completed") expect(ended.lastText).toBe("DONE: after all");
    else expect(ended).toMatchObject({ reason: "error", message: expect.stringMatching(/\w{4}/) });
  });

  scenario("brokenAnswer", async () => {
    const { agent } = await setUp(id, {
      sessions: [{ turns: [{ fault: { kind: "disconnect" }, text: "half of" }, { text: "DONE: again" }] }],
    });
    const events = await readAll(await start(agent, "WORKER MODE: break"));
    const [ended, ...more] = ofType(events, "ended");
    expect(more).toEqual([]);
    // Some try again, some give up: neither may take half an answer for a whole one.
    if (ended?.reason === "completed") expect(ended.lastText).toBe("DONE: again");
    else expect(ended?.reason).toBe("error");
  });
};
