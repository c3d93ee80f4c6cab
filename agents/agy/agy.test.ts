import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { AgentEvent, AgentSettings, SessionRequest } from "../driver.ts";
import { agyDriver } from "./driver.ts";
import { createAgyReader } from "./reader.ts";

// Against a double: the program itself is on no registry.

const DOUBLE = resolve(import.meta.dirname, "fixtures/agy.mjs");
const PROMPT = `line one\n"quoted" \\ 🌙 ${"long ".repeat(40_000)}`;
const PRICE = { input: 1, cacheRead: 0.1, cacheWrite: 1, output: 10 };

let home = "";
beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), "nightshift-agy-")));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const start = (turns: object[][], settings: AgentSettings = {}, more: Partial<SessionRequest> = {}) => {
  writeFileSync(join(home, "play.json"), JSON.stringify(turns));
  return agyDriver.start({
    prompt: PROMPT,
    dir: home,
    settings: { command: process.execPath, args: [DOUBLE], ...settings },
    env: { PATH: process.env["PATH"] ?? "", HOME: home, AGY_PLAY: join(home, "play.json") },
    scratchDir: home,
    ...more,
  });
};
type Session = Awaited<ReturnType<typeof start>>;
const readAll = async (session: Session, onEvent: (event: AgentEvent) => void = () => undefined) => {
  const events: AgentEvent[] = [];
  for await (const event of session.events) {
    if (event.type === "activity") continue;
    events.push(event);
    onEvent(event);
  }
  return events;
};
const run = async (turns: object[][], settings?: AgentSettings) => {
  const session = await start(turns, settings);
  const events = await readAll(session);
  await session.end();
  return { events, ended: events.at(-1) };
};
const calls = () =>
  readFileSync(join(home, "calls.jsonl"), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { flags: Record<string, unknown>; prompt: string });

const usage = { input_tokens: 100, cache_read_tokens: 900, output_tokens: 50, thinking_tokens: 20 };
const answer = (step_index: number, text_delta: string) => [
  { step_index, state: "ACTIVE", step_type: "agent_response", text_delta },
  { step_index, state: "DONE", step_type: "agent_response", text_delta: "\n", usage },
];
const tool = (step_index: number, state: string, about: object = {}) => ({
  step_index,
  state,
  step_type: "tool",
  tool_name: "run_command",
  tool_info: { name: "run_command", parameters: { CommandLine: "npm test" }, ...about },
});
const success = { result: { status: "SUCCESS", response: "DONE: it works\n", usage } };

test("a turn: prompt by stdin, text, tools, usage of each call once, and its end", async () => {
  const { events, ended } = await run(
    [
      [
        { step_index: 0, state: "DONE", step_type: "user_input" },
        ...answer(1, "Running it."),
        tool(2, "ACTIVE"),
        tool(2, "DONE", { output: "ok" }),
        tool(3, "ERROR", { error: { type: "TOOL_ERROR", message: "exit status 1" } }),
        ...answer(4, "DONE: it works"),
        // told twice, as agy does
        { step_index: 4, state: "DONE", step_type: "agent_response", usage },
        { step_index: 5, state: "DONE", step_type: "checkpoint", usage },
        success,
      ],
    ],
    { model: "gemini-x", prices: { "gemini-x": PRICE }, contextWindow: 10_000 },
  );
  expect(events.map((event) => event.type)).toEqual([
    "started",
    "usage",
    "text",
    "tool-start",
    "tool-end",
    "tool-start",
    "tool-end",
    "usage",
    "text",
    "usage",
    "ended",
  ]);
  expect(events[1]).toMatchObject({ contextTokens: 1050, windowTokens: 10_000, source: "live" });
  expect(events[3]).toMatchObject({ name: "run_command", summary: expect.stringContaining("npm test") });
  expect(events[4]).toMatchObject({ isError: false });
  expect(events[6]).toMatchObject({ isError: true, reason: "exit status 1" });
  expect(ended).toMatchObject({
    reason: "completed",
    lastText: "DONE: it works",
    totalTokens: 3150,
    totalCostUsd: expect.closeTo(0.00207, 9),
    tokensByClass: { input: 300, cacheRead: 2700, output: 150, reasoning: 60 },
  });
  const [call] = calls();
  expect(call?.prompt).toBe(PROMPT);
  expect(call?.flags).toMatchObject({
    "input-format": "stream-json",
    "add-dir": home,
    model: "gemini-x",
    "dangerously-skip-permissions": true,
  });
});

test("stops between tool calls by SIGINT, and gives a note in the same conversation", async () => {
  const session = await start([
    [...answer(1, "Working."), tool(2, "ACTIVE"), tool(2, "DONE"), { wait: true }],
    [...answer(3, "HANDOFF: half of it"), success],
  ]);
  const events = await readAll(session, (event) => {
    if (event.type === "tool-start") void session.stopGently();
  });
  expect(events.map((event) => event.type)).toContain("tool-end");
  expect(events.at(-1)).toMatchObject({ reason: "interrupted" });
  expect(await session.askForNote({ prompt: "Write the note", timeoutMs: 120_000 })).toBe(
    "HANDOFF: half of it",
  );
  await session.end();
  const [first, second] = calls();
  expect(first?.flags).not.toHaveProperty("conversation");
  expect(second).toMatchObject({
    prompt: "Write the note",
    flags: { conversation: "055a398f-db14-4c5f-abbb-1bf03f8120a7" },
  });
});

test("goes on in a conversation, and says when there is none of that name", async () => {
  await run([[...answer(1, "one"), success]]);
  const resume = "055a398f-db14-4c5f-abbb-1bf03f8120a7";
  const again = await start([[], [...answer(2, "two"), success]], {}, { resume });
  expect((await readAll(again)).at(-1)).toMatchObject({ reason: "completed", lastText: "two" });
  await again.end();
  const gone = await start([], {}, { resume: "no-such" });
  expect((await readAll(gone)).at(-1)).toMatchObject({
    reason: "error",
    message: expect.stringContaining("not found"),
  });
  await gone.end();
});

test.each([
  [
    "an error",
    { status: "ERROR", error: "invalid model selection" },
    { reason: "error", message: "invalid model selection" },
  ],
  ["a waiting turn", { status: "WAITING" }, { reason: "error", message: "the turn ended as WAITING" }],
  [
    "a denied tool, which agy calls a success",
    { status: "SUCCESS", response: "", denied_actions: [{ action: "command", display_name: "RunCommand" }] },
    { reason: "error", message: "it was not allowed to use RunCommand, and said nothing" },
  ],
  [
    "an answer that was not streamed",
    { status: "SUCCESS", response: "DONE: x\n" },
    { reason: "completed", lastText: "DONE: x" },
  ],
])("a result is read for what it is: %s", async (_, result, expected) => {
  expect((await run([[{ result }]])).ended).toMatchObject(expected);
});

test("a quota is a rate limit with its reset", async () => {
  const error = "Individual quota reached. Contact your administrator. Resets in 1h34m13s.";
  const before = Date.now();
  const { events, ended } = await run([[{ result: { status: "ERROR", error } }]]);
  const limit = events.find((event) => event.type === "rate-limit");
  expect((limit?.resetsAtMs ?? 0) - before).toBeGreaterThanOrEqual((94 * 60 + 13) * 1000);
  expect(ended).toMatchObject({ reason: "rate-limit", message: error });
});

test("one that leaves without a result failed, and an unknown event is counted", async () => {
  const { ended } = await run([[{ stderr: "error: authentication required\n" }, { exit: 1 }]]);
  expect(ended).toMatchObject({
    reason: "error",
    exitCode: 1,
    message: expect.stringContaining("authentication"),
  });
  rmSync(join(home, ".gemini"), { recursive: true });
  const odd = await run([
    [{ raw: "no json" }, { raw: '{"event":"news"}' }, { step_index: 1, step_type: "dream" }, success],
  ]);
  expect(odd.events).toContainEqual(expect.objectContaining({ type: "warning" }));
  expect(odd.ended).toMatchObject({
    reason: "completed",
    unknownEvents: { news: 1, "step_update dream": 1 },
  });
});

test("survives whatever a line holds", () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(fc.string(), fc.json())), fc.jsonValue(), (lines, inner) => {
      const reader = createAgyReader(
        { settings: {} },
        () => undefined,
        () => 0,
      );
      for (const line of lines) reader.onLine(line);
      for (const event of ["init", "step_update", "result"])
        reader.onLine(JSON.stringify({ event, [event]: inner }));
      reader.close?.();
    }),
  );
});
