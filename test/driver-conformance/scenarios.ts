import { mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import type { AgentEvent, DriverSession } from "../../agents/driver.ts";
import { systemClock } from "../../core/clock.ts";
import { isAlive } from "../../core/process-identity.ts";
import { endMarked, findMarked, MARKER } from "../../core/process-tree.ts";
import { type ChosenSandbox, chooseSandbox } from "../../sandbox/choose-sandbox.ts";
import { findBubblewrap } from "../../sandbox/find-bubblewrap.ts";
import { type Sandbox, openSandbox } from "../../sandbox/open-sandbox.ts";
import { DEFAULT_SANDBOX } from "../../sandbox/settings.ts";
import { findAgentCli } from "../agent-clis.ts";
import { type RealAgent, setUpRealAgent, type TestedAgent } from "../real-agents.ts";
import type { ModelScript } from "../scripted-model/script.ts";
import { type ScriptedModel, startScriptedModel } from "../scripted-model/server.ts";

// The same scenarios for every agent, each with its real program against the scripted model.

type Held = Exclude<ChosenSandbox, { kind: "none" }>;

const NOTE_REQUEST = "Write a closing note.";
const WINDOW = 200_000;

let dir = "";
let mark = "";
let model: ScriptedModel | undefined;
let agent: RealAgent | undefined;
let session: DriverSession | undefined;
let sandbox: Sandbox | undefined;
let isInside = false;

beforeEach(() => {
  dir = realpathSync(mkdtempSync(join(tmpdir(), "nightshift-conformance-")));
  mark = `conformance-${dir.slice(-6)}`;
});
afterEach(async () => {
  await session?.end({ graceMs: 500 });
  await endMarked(mark, { clock: systemClock, graceMs: 200 });
  await sandbox?.close();
  sandbox = undefined;
  await model?.close();
  agent?.dispose();
  rmSync(dir, { recursive: true, force: true, maxRetries: 3 });
  session = undefined;
});

const setUp = async (id: TestedAgent, script: ModelScript, windowTokens = WINDOW) => {
  model = await startScriptedModel(script);
  agent = await setUpRealAgent(id, { modelUrl: model.url, windowTokens });
  return { model, agent };
};

const start = async ({ driver, env, settings }: RealAgent, prompt: string, resume?: string) => {
  if (isInside)
    sandbox ??= await openSandbox({
      chosen: chooseSandbox("bubblewrap", { env, agent: driver.id, agentSettings: settings }) as Held,
      settings: DEFAULT_SANDBOX,
      env,
      agent: driver.id,
      agentSettings: settings,
      dir,
      hosts: [],
      show: agent ? [agent.home] : [],
      onLedger: () => undefined,
    });
  session = await driver.start({
    prompt,
    dir,
    settings,
    env: { ...(sandbox?.env ?? env), [MARKER]: mark },
    confinement: sandbox?.confinement,
    scratchDir: mkdtempSync(join(agent?.home ?? dir, "scratch-")),
    ...(resume === undefined ? {} : { resume }),
  });
  return session;
};

const readAll = async (
  { events }: DriverSession,
  onEvent: (event: AgentEvent) => unknown = () => undefined,
): Promise<AgentEvent[]> => {
  const all: AgentEvent[] = [];
  for await (const event of events) {
    all.push(event);
    await onEvent(event);
  }
  return all;
};

const ofType = <Type extends AgentEvent["type"]>(events: AgentEvent[], type: Type) =>
  events.filter((event): event is Extract<AgentEvent, { type: Type }> => event.type === type);

const conversationOf = (events: AgentEvent[]): string => {
  const [started] = ofType(events, "started");
  expect(started?.conversationId).toMatch(/\w{4}/);
  return started?.conversationId ?? "";
};

const contentOf = (name: string) => readFileSync(join(dir, name), "utf8");

const step = (name: string, contextTokens: number) => ({
  run: `echo ${name} >> steps.log`,
  contextTokens,
  thinkMs: 150,
});

/** Runs every scenario with one agent's real program; skipped by name where it is not installed. */
export const describeConformance = (
  id: TestedAgent,
  { hasOwnProcess = true, inSandbox = false }: { hasOwnProcess?: boolean; inSandbox?: boolean } = {},
) => {
  const isInstalled = id === "shelley" || findAgentCli(id) !== undefined;
  // Two programs to start in one scenario, some of which take seconds on a busy machine.
  vi.setConfig({ testTimeout: 150_000 });
  const where = inSandbox ? " in a sandbox" : "";
  const isHeld = !inSandbox || "program" in findBubblewrap(process.env);
  const why = isInstalled ? (isHeld ? "" : " (bubblewrap does not work here)") : " (not installed)";
  describe.skipIf(!isInstalled || !isHeld)(`${id}${where}${why}`, () => {
    beforeAll(() => {
      isInside = inSandbox;
    });
    test("does its work to the end, with the figures of the last call and the true window", async () => {
      const { agent, model } = await setUp(id, {
        sessions: [
          {
            when: "WORKER MODE",
            turns: [
              { ...step("one", 21_000), text: "I begin." },
              step("two", 96_000),
              { text: "It is all there.\nDONE: two steps", contextTokens: 97_000 },
            ],
          },
        ],
      });
      const session = await start(agent, "WORKER MODE: two steps");
      const events = await readAll(session);
      expect(contentOf("steps.log")).toBe("one\ntwo\n");
      expect(events.at(-1)).toMatchObject({
        type: "ended",
        reason: "completed",
        lastText: "It is all there.\nDONE: two steps",
      });
      const usage = ofType(events, "usage").at(-1);
      expect(usage).toMatchObject({ contextTokens: 97_000, windowTokens: WINDOW });
      expect(usage?.source).toBe(agent.driver.capabilities.liveContext);
      expect(ofType(events, "tool-start").map((event) => event.summary)).toEqual([
        expect.stringContaining("echo one >> steps.log"),
        expect.stringContaining("echo two >> steps.log"),
      ]);
      expect(ofType(events, "tool-end").map((event) => event.isError)).toEqual([false, false]);
      expect(conversationOf(events)).not.toBe("");
      expect(ofType(events, "ended")).toHaveLength(1);
      expect(model.problems).toEqual([]);
      const { totalCostUsd = 0, totalTokens = 0 } = session.spent();
      expect(totalTokens).toBeGreaterThanOrEqual(21_000 + 96_000 + 97_000);
      if (agent.driver.capabilities.cost !== "none") expect(totalCostUsd).toBeGreaterThan(0);
      await session.end();
      expect(findMarked(mark)).toEqual([]);
    });

    test("is stopped between tool calls, writes its note in the same conversation, and can be resumed", async () => {
      const { agent, model } = await setUp(id, {
        sessions: [
          {
            turns: [
              step("one", 60_000),
              step("two", 151_000),
              // Never given: a busy machine has time to act on the turn before it.
              { ...step("three", 155_000), thinkMs: 3_000 },
              { text: "DONE: never said", contextTokens: 156_000 },
            ],
            answers: [
              {
                contains: NOTE_REQUEST,
                turns: [
                  { run: "echo looked > last-look.log", contextTokens: 157_000 },
                  { text: "HANDOFF: two of four", contextTokens: 157_000 },
                ],
              },
              { contains: "Go on.", turns: [{ text: "DONE: resumed", contextTokens: 158_000 }] },
            ],
          },
        ],
      });
      const session = await start(agent, "WORKER MODE: four steps");
      const events = await readAll(session, (event) =>
        event.type === "usage" && event.contextTokens / (event.windowTokens ?? Infinity) >= 0.75
          ? session.stopGently()
          : undefined,
      );
      expect(events.at(-1)).toMatchObject({ type: "ended", reason: "interrupted" });
      const note = await session.askForNote({ prompt: NOTE_REQUEST, timeoutMs: 90_000 });
      expect(note).toBe("HANDOFF: two of four");
      // Nothing was begun after the stop, and what was begun was finished.
      expect(contentOf("steps.log")).toBe("one\ntwo\n");
      expect(contentOf("last-look.log")).toBe("looked\n");
      const noteRequest = model.turns().at(-1)?.request;
      expect(noteRequest?.opening).toContain("WORKER MODE: four steps");
      expect(noteRequest?.replies).toBeGreaterThanOrEqual(2);
      await session.end();
      expect(findMarked(mark)).toEqual([]);

      const resumed = await start(agent, "Go on.", conversationOf(events));
      const later = await readAll(resumed);
      expect(later.at(-1)).toMatchObject({ reason: "completed", lastText: "DONE: resumed" });
      expect(model.turns().at(-1)?.request?.opening).toContain("WORKER MODE: four steps");
    });

    test("takes a prompt of 100 kB with quotes, backslashes, newlines and emoji as it is", async () => {
      const { agent, model } = await setUp(id, { sessions: [{ turns: [{ text: "DONE: read" }] }] });
      const prompt = `WORKER MODE: --flag "q" 'a' \\n $HOME \`id\` {{x}} 🌙\n${"long line é\n".repeat(8_000)}end.`;
      const events = await readAll(await start(agent, prompt));
      expect(events.at(-1)).toMatchObject({ reason: "completed" });
      expect(model.turns()[0]?.request?.opening).toContain(prompt);
    });

    test("reports a failing model as an error, in words", async () => {
      const { agent } = await setUp(id, {
        sessions: [{ turns: [{ fault: { kind: "status", status: 400, message: "scripted refusal" } }] }],
      });
      const ended = (await readAll(await start(agent, "WORKER MODE: fail"))).at(-1);
      expect(ended).toMatchObject({ type: "ended", reason: "error" });
      expect(ended?.type === "ended" && ended.message).toMatch(/scripted refusal|400/);
    });

    test("tells a rate limit from a failure", async () => {
      const resetsAtMs = (Math.floor(Date.now() / 1000) + 3600) * 1000;
      const { agent } = await setUp(id, {
        sessions: [{ turns: [{ fault: { kind: "rate-limit", resetsAtMs } }] }],
      });
      const events = await readAll(await start(agent, "WORKER MODE: too much"));
      expect(events.at(-1)).toMatchObject({ type: "ended", reason: "rate-limit" });
      const [limit] = ofType(events, "rate-limit");
      expect(limit?.message).not.toBe("");
      // Claude Code tells the reset to subscribers only; with an API key it says nothing of it.
      if (agent.driver.capabilities.rateLimitReset && id !== "claude")
        expect(Math.abs((limit?.resetsAtMs ?? 0) - resetsAtMs)).toBeLessThan(5_000);
    });

    test("comes to an end when the connection breaks in the middle of an answer", async () => {
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

    if (!hasOwnProcess) return;

    test("ends a session that hangs, with a tool that forked into a session of its own", async () => {
      const { agent } = await setUp(id, {
        sessions: [
          {
            turns: [
              {
                run: `setsid sh -c 'trap "" TERM; echo up > forked; while :; do sleep 1; done' > /dev/null 2>&1 & while ! [ -s forked ]; do sleep 0.05; done`,
              },
              { fault: { kind: "hang" } },
            ],
          },
        ],
      });
      const session = await start(agent, "WORKER MODE: fork");
      const { child } = session;
      const ending = readAll(session, (event) =>
        event.type === "tool-end" ? void session.end({ graceMs: 300 }) : undefined,
      );
      expect((await ending).at(-1)).toMatchObject({ type: "ended" });
      await session.end();
      expect(contentOf("forked")).toBe("up\n");
      expect(findMarked(mark)).toEqual([]);
      expect(child && isAlive(child)).toBe(false);
    });

    test("an agent that is killed ended with an error", async () => {
      const { agent } = await setUp(id, { sessions: [{ turns: [{ run: "echo > up; sleep 60" }] }] });
      const session = await start(agent, "WORKER MODE: die");
      const events = await readAll(session, (event) =>
        event.type === "tool-start" && session.child ? process.kill(session.child.pid, "SIGKILL") : undefined,
      );
      expect(events.at(-1)).toMatchObject({ type: "ended", reason: "error" });
    });
  });
};
