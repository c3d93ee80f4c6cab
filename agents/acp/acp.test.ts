import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { AgentEvent, DriverSession, SessionRequest } from "../driver.ts";
import { acpDriver } from "./driver.ts";

// A small agent of our own says what real ones say only seldom; the real ones are in test/driver-conformance.

let dir = "";
beforeEach(() => {
  dir = realpathSync(mkdtempSync(join(tmpdir(), "nightshift-acp-")));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

/** An agent whose answer to the prompt is `turn`; what it is asked lies in asked.log. */
const writeAgent = (turn: string, capabilities: object = {}): string => {
  const program = join(dir, "agent.mjs");
  writeFileSync(
    program,
    `import { appendFileSync } from "node:fs";
import { createInterface } from "node:readline";
const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n");
const update = (update) => send({ method: "session/update", params: { sessionId: "s-1", update } });
const answers = new Map();
const ask = (id, toolCall) => new Promise((resolve) => {
  answers.set(id, resolve);
  const options = [{ optionId: "ever", kind: "allow_always", name: "" }, { optionId: "yes", kind: "allow_once", name: "" }, { optionId: "no", kind: "reject_once", name: "" }];
  send({ id, method: "session/request_permission", params: { sessionId: "s-1", toolCall, options } });
});
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params, result } = JSON.parse(line);
  if (method === undefined) { answers.get(id)?.(result.outcome); continue; }
  appendFileSync("asked.log", method + "\\n");
  if (method === "initialize") send({ id, result: { protocolVersion: 1, agentCapabilities: ${JSON.stringify(capabilities)} } });
  else if (method === "session/new") send({ id, result: { sessionId: "s-1" } });
  else if (method === "session/prompt") void (async () => { ${turn} })();
}`,
  );
  return program;
};

const start = (program: string, more: Partial<SessionRequest> = {}): Promise<DriverSession> =>
  acpDriver.start({
    prompt: "WORKER MODE: try",
    dir,
    settings: { command: process.execPath, args: [program] },
    env: { PATH: process.env["PATH"] ?? "" },
    scratchDir: dir,
    ...more,
  });

const readAll = async (session: DriverSession, onEvent: (event: AgentEvent) => unknown = () => undefined) => {
  const events: AgentEvent[] = [];
  for await (const event of session.events) {
    if (event.type !== "activity") events.push(event);
    await onEvent(event);
  }
  await session.end();
  return events;
};

test("allows what the agent asks leave for once only, and rejects what is refused", async () => {
  const program = writeAgent(`
    const call = (toolCallId, command) => ({ toolCallId, kind: "execute", title: command, rawInput: { command } });
    const one = await ask(101, call("t-1", "make"));
    const two = await ask(102, call("t-2", "rm -rf /"));
    update({ sessionUpdate: "agent_message_chunk", content: { type: "text", text: [one.optionId, two.optionId].join() } });
    send({ id, result: { stopReason: "end_turn" } });`);
  const refuseCall = async ({ input }: { input: Readonly<Record<string, unknown>> }) =>
    input["command"] === "rm -rf /" ? "it would delete everything" : undefined;
  const events = await readAll(await start(program, { refuseCall }));
  expect(events).toEqual([
    { type: "started", conversationId: "s-1" },
    { type: "tool-start", id: "t-1", name: "execute", summary: "make" },
    { type: "warning", message: "refused: it would delete everything" },
    { type: "text", text: "yes,no" },
    { type: "ended", reason: "completed", lastText: "yes,no" },
  ]);
});

test("a call that was asked leave for when the session is to stop is called off with the turn", async () => {
  const program = writeAgent(`
    update({ sessionUpdate: "usage_update", used: 160, size: 200, cost: { amount: 0.5, currency: "USD" } });
    const { outcome } = await ask(101, { toolCallId: "t-1", kind: "execute", title: "make" });
    appendFileSync("asked.log", outcome + "\\n");
    send({ id, result: { stopReason: "cancelled" } });`);
  const session = await start(program);
  const events = await readAll(session, (event) =>
    event.type === "usage" ? session.stopGently() : undefined,
  );
  expect(events.slice(1)).toEqual([
    { type: "usage", contextTokens: 160, windowTokens: 200, source: "live", totalCostUsd: 0.5 },
    { type: "ended", reason: "interrupted", lastText: "", totalCostUsd: 0.5 },
  ]);
  const asked = readFileSync(join(dir, "asked.log"), "utf8");
  expect(asked.split("session/cancel\n")).toHaveLength(2); // once, however often it was asked
  expect(asked).toContain("cancelled\n");
});

test("garbage and updates of a later protocol end nothing", async () => {
  const program = writeAgent(`
    process.stdout.write("Loading...\\n{\\"half\\": \\n");
    update({ sessionUpdate: "telepathy", thought: 1 });
    update({ sessionUpdate: "agent_message_chunk", content: { type: "text", text: "DONE: 🌙" } });
    send({ id, result: { stopReason: "end_turn" } });`);
  const events = await readAll(await start(program));
  expect(events.at(-1)).toMatchObject({
    reason: "completed",
    lastText: "DONE: 🌙",
    unknownEvents: { telepathy: 1 },
  });
  expect(events).toContainEqual({
    type: "unknown",
    kind: "telepathy",
    line: '{"sessionUpdate":"telepathy","thought":1}',
  });
  expect(events.filter(({ type }) => type === "warning")).toHaveLength(2);
});

test("a failed turn ends with what the agent says of it", async () => {
  const said = await readAll(
    await start(
      writeAgent(
        `send({ id, error: { code: -32603, message: "Internal error", data: { details: "429 quota" } } });`,
      ),
    ),
  );
  expect(said.slice(-2)).toEqual([
    { type: "rate-limit", message: "Internal error: 429 quota" },
    { type: "ended", reason: "rate-limit", lastText: "", message: "Internal error: 429 quota" },
  ]);
  const refused = await readAll(await start(writeAgent(`send({ id, result: { stopReason: "refusal" } });`)));
  expect(refused.at(-1)).toMatchObject({ reason: "error", message: "the agent stopped: refusal" });
  const left = await readAll(await start(writeAgent("process.exit(0);")));
  expect(left.at(-1)).toMatchObject({ reason: "error", message: "the agent left before its turn ended" });
});

test("what the agent does not offer is refused before the first prompt", async () => {
  const program = writeAgent("");
  const settings = { command: process.execPath, args: [program], model: "m-1" };
  expect((await readAll(await start(program, { settings }))).at(-1)).toMatchObject({
    reason: "error",
    message: expect.stringContaining('the agent does not let its model be chosen; leave "m-1" out'),
  });
  expect((await readAll(await start(program, { resume: "s-0" }))).at(-1)).toMatchObject({
    reason: "error",
    message: "the agent cannot load a conversation",
  });
  expect(readFileSync(join(dir, "asked.log"), "utf8")).not.toContain("session/prompt");
  expect(() => acpDriver.describe({ ...({} as SessionRequest), settings: {} })).toThrow(/needs a `command`/);
});
