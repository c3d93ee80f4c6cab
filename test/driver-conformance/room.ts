import { mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import type { AgentEvent, DriverSession } from "../../agents/driver.ts";
import { systemClock } from "../../core/clock.ts";
import { endMarked, MARKER } from "../../core/process-tree.ts";
import { type ChosenSandbox, chooseSandbox } from "../../sandbox/choose-sandbox.ts";
import { type Sandbox, openSandbox } from "../../sandbox/open-sandbox.ts";
import { DEFAULT_SANDBOX } from "../../sandbox/settings.ts";
import { type RealAgent, setUpRealAgent, type TestedAgent } from "../real-agents.ts";
import type { ModelScript } from "../scripted-model/script.ts";
import { type ScriptedModel, startScriptedModel } from "../scripted-model/server.ts";

type Held = Exclude<ChosenSandbox, { kind: "none" }>;

export const WINDOW = 200_000;

/** The place of the scenario that is running: its folder, its model, its agent. */
export const room = {
  dir: "",
  mark: "",
  isInside: false,
  model: undefined as ScriptedModel | undefined,
  agent: undefined as RealAgent | undefined,
  session: undefined as DriverSession | undefined,
  sandbox: undefined as Sandbox | undefined,
};

export const openRoom = (): void => {
  room.dir = realpathSync(mkdtempSync(join(tmpdir(), "nightshift-conformance-")));
  room.mark = `conformance-${room.dir.slice(-6)}`;
};

export const closeRoom = async (): Promise<void> => {
  await room.session?.end({ graceMs: 500 });
  await endMarked(room.mark, { clock: systemClock, graceMs: 200 });
  await room.sandbox?.close();
  room.sandbox = undefined;
  await room.model?.close();
  room.agent?.dispose();
  rmSync(room.dir, { recursive: true, force: true, maxRetries: 3 });
  room.session = undefined;
};

export const setUp = async (id: TestedAgent, script: ModelScript, windowTokens = WINDOW) => {
  const model = (room.model = await startScriptedModel(script));
  const agent = (room.agent = await setUpRealAgent(id, { modelUrl: model.url, windowTokens }));
  return { model, agent };
};

export const start = async (
  { driver, env, settings, budgetUsd }: RealAgent & { budgetUsd?: number },
  prompt: string,
  resume?: string,
) => {
  const { dir, mark, agent } = room;
  if (room.isInside)
    room.sandbox ??= await openSandbox({
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
  room.session = await driver.start({
    prompt,
    dir,
    settings,
    env: { ...(room.sandbox?.env ?? env), [MARKER]: mark },
    confinement: room.sandbox?.confinement,
    scratchDir: mkdtempSync(join(agent?.home ?? dir, "scratch-")),
    ...(resume === undefined ? {} : { resume }),
    ...(budgetUsd === undefined ? {} : { budgetUsd }),
  });
  return room.session;
};

export const readAll = async (
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

export const ofType = <Type extends AgentEvent["type"]>(events: AgentEvent[], type: Type) =>
  events.filter((event): event is Extract<AgentEvent, { type: Type }> => event.type === type);

export const conversationOf = (events: AgentEvent[]): string => {
  const [started] = ofType(events, "started");
  expect(started?.conversationId).toMatch(/\w{4}/);
  return started?.conversationId ?? "";
};

export const contentOf = (name: string) => readFileSync(join(room.dir, name), "utf8");

/** A turn of the model that does one small thing. */
export const step = (name: string, contextTokens: number) => ({
  run: `echo ${name} >> steps.log`,
  contextTokens,
  thinkMs: 150,
});
