import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import type { RealAgent, TestedAgent } from "../real-agents.ts";
import { contentOf, ofType, readAll, room, setUp, start, step } from "./room.ts";
import type { Register } from "./scenario.ts";

// What a program writes and how it leaves, spoiled on the way to the driver.

type Spoiling = "bytes" | "flood" | "exit-code";

const SHIM = join(import.meta.dirname, "fixtures/shim.mjs");

const spoiled = (agent: RealAgent, how: Spoiling): RealAgent => {
  const env = { SHIM: how, SHIM_COMMAND: agent.settings.command ?? "" };
  return {
    ...agent,
    env: { ...agent.env, ...env },
    settings: { ...agent.settings, env: { ...agent.settings.env, ...env }, command: SHIM },
  };
};

const WORK = { turns: [step("one", 21_000), { text: "DONE: né 🌙", contextTokens: 22_000 }] };

export const describeOutput = (id: TestedAgent, scenario: Register) => {
  const doWork = async (agent: RealAgent, how: Spoiling) => {
    const events = await readAll(await start(spoiled(agent, how), "WORKER MODE: one step"));
    expect(contentOf("steps.log")).toBe("one\n");
    expect(events.at(-1)).toMatchObject({ reason: "completed", lastText: "DONE: né 🌙" });
    expect(ofType(events, "ended")).toHaveLength(1);
    expect(ofType(events, "tool-end").map(({ isError }) => isError)).toEqual([false]);
  };
  const understood = (how: Spoiling) => async () => {
    const { agent } = await setUp(id, { sessions: [WORK] });
    await doWork(agent, how);
  };
  scenario("bytes", understood("bytes"));
  scenario("flood", understood("flood"));

  scenario("leaves", async () => {
    const { agent } = await setUp(id, { sessions: [WORK] });
    const command = join(room.dir, "leaves");
    writeFileSync(command, "#!/bin/sh\nexit 0\n");
    chmodSync(command, 0o755);
    const settings = { ...agent.settings, command };
    const events = await readAll(await start({ ...agent, settings }, "WORKER MODE: one step"));
    expect(events.at(-1)).toMatchObject({ type: "ended", reason: "error" });
    expect(ofType(events, "ended")).toHaveLength(1);
  });

  scenario("exitCode", async () => {
    const fault = { kind: "status", status: 400, message: "scripted refusal" } as const;
    const { agent } = await setUp(id, {
      sessions: [
        { when: "one step", ...WORK },
        { when: "to fail", turns: [{ fault }] },
      ],
    });
    await doWork(agent, "exit-code");
    await room.session?.end();
    const events = await readAll(await start(spoiled(agent, "exit-code"), "WORKER MODE: to fail"));
    expect(events.at(-1)).toMatchObject({ type: "ended", reason: "error" });
  });
};
