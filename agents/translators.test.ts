import fc from "fast-check";
import { expect, test } from "vitest";
import { createChatReader, geminiWindow } from "./gemini/chat-file.ts";
import { createOpencodeTranslator } from "./opencode/translate.ts";
import { readFailure } from "./google-failure.ts";
import { createPiTranslator, SETTLE_ID } from "./pi/translate.ts";
import { createShelleyTranslator } from "./shelley/translate.ts";
import { summarizeToolInput } from "./tool-events.ts";

// What the scenarios with the real programs do not reach; lines as those programs write them, cut short.

test("pi: an answer that failed carries no figures, and its reason is the outcome", () => {
  const { read, outcome } = createPiTranslator();
  const message = (fields: object) =>
    JSON.stringify({ type: "message_end", message: { role: "assistant", ...fields } });
  const usage = { input: 10, output: 5, cacheRead: 100, cacheWrite: 1, cost: { total: 0.5 } };
  read(message({ stopReason: "stop", usage, content: [{ type: "text", text: "DONE: x" }] }));
  expect(outcome()).toEqual({ type: "turn-end", reason: "completed" });
  const none = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, cost: { total: 0 } };
  expect(
    read(message({ stopReason: "error", errorMessage: "429 slow down", usage: none, content: [] })),
  ).toEqual([{ type: "calls", ids: [] }]);
  expect(outcome()).toEqual({ type: "turn-end", reason: "rate-limit", message: "429 slow down" });
  read(message({ stopReason: "error", errorMessage: "port 4290 refused", usage: none, content: [] }));
  expect(outcome()).toMatchObject({ reason: "error" });
  read(message({ stopReason: "length", usage: none, content: [] }));
  expect(outcome()).toMatchObject({ reason: "limit" });
});

test("pi: a compaction in a run ends nothing, and one after it only where pi does not begin again", () => {
  const { read } = createPiTranslator();
  const types = (line: object) => read(JSON.stringify(line)).map((signal) => signal.type);
  read(JSON.stringify({ type: "agent_start" }));
  expect(types({ type: "compaction_end", reason: "threshold", willRetry: false })).toEqual(["goes-on"]);
  read(JSON.stringify({ type: "agent_end", messages: [] }));
  expect(types({ type: "compaction_end", reason: "overflow", willRetry: true })).toEqual(["goes-on"]);
  expect(types({ type: "compaction_end", reason: "threshold", willRetry: false })).toEqual(["maybe-over"]);
});

test("pi: what it asks a model beside its answers is paid, and is not the conversation's context", () => {
  const { read } = createPiTranslator();
  const usage = { input: 10, output: 5, cacheRead: 100, cacheWrite: 1, cost: { total: 0.5 } };
  const tell = (line: object) => read(JSON.stringify(line)).filter(({ type }) => type === "usage");
  const told = (times: number) => [
    expect.objectContaining({ contextTokens: 116, totalTokens: times * 116, totalCostUsd: times * 0.5 }),
  ];
  const ends = (message: object) => tell({ type: "message_end", message });
  expect(ends({ role: "assistant", stopReason: "toolUse", usage, content: [] })).toEqual(told(1));
  expect(ends({ role: "toolResult", toolCallId: "t1", usage, content: [] })).toEqual(told(2));
  expect(ends({ role: "toolResult", toolCallId: "t2", content: [] })).toEqual([]);
  const entry = { type: "usage", kind: "cache_warm", usage };
  expect(tell({ type: "entry_appended", entry })).toEqual(told(3));
  expect(tell({ type: "entry_appended", entry: { type: "custom", data: { usage } } })).toEqual([]);
  expect(tell({ type: "compaction_end", result: { summary: "x", usage } })).toEqual(told(4));
  expect(tell({ type: "compaction_end", result: { summary: "x" } })).toEqual([]);
});

test("opencode: an event that is not known is told, and those around a session are not", () => {
  const read = createOpencodeTranslator("ses_1");
  const types = (type: string) => read(JSON.stringify({ type, properties: {} })).map((signal) => signal.type);
  expect(types("session.execution.started")).toEqual(["unknown"]);
  expect(types("message.annotated")).toEqual(["unknown"]);
  expect([...types("server.heartbeat"), ...types("session.diff"), ...types("lsp.updated")]).toEqual([]);
});

test("pi: a turn is over only when nothing follows its end before the next answer", () => {
  const { read } = createPiTranslator();
  const types = (line: object) => read(JSON.stringify(line)).map((signal) => signal.type);
  expect(types({ type: "agent_end", messages: [] })).toEqual(["maybe-over"]);
  expect(types({ type: "auto_retry_start", errorMessage: "overloaded" })).toEqual(["goes-on", "warning"]);
  expect(types({ type: "response", id: SETTLE_ID, success: true })).toEqual(["settled"]);
  expect(
    read(JSON.stringify({ type: "response", command: "prompt", success: false, error: "no key" })),
  ).toEqual([{ type: "turn-end", reason: "error", message: "no key" }]);
});

const opencodeEvent = (type: string, properties: object) => JSON.stringify({ type, properties });

test("opencode: a sub-agent's figures are spent, and are not the conversation's context", () => {
  const read = createOpencodeTranslator("ses_main");
  const finish = (sessionID: string, input: number) =>
    read(
      opencodeEvent("message.part.updated", {
        part: {
          type: "step-finish",
          sessionID,
          cost: 0.1,
          tokens: { input, output: 5, reasoning: 2, cache: { read: 100, write: 1 } },
        },
      }),
    );
  expect(finish("ses_child", 9_000)).toEqual([]);
  expect(finish("ses_main", 10)).toEqual([
    {
      type: "usage",
      source: "live",
      contextTokens: 118,
      totalTokens: 9_108 + 118,
      totalCostUsd: 0.2,
      tokensByClass: {
        input: 9_010,
        cacheRead: 200,
        cacheWrite: 2,
        output: 14,
        reasoning: 4,
        subAgents: 9_108,
      },
    },
  ]);
});

test("opencode: idle ends a turn once, as what its last message was", () => {
  const idle = (finish: string | undefined, error?: object) => {
    const read = createOpencodeTranslator("s");
    const status = (type: string) =>
      read(opencodeEvent("session.status", { sessionID: "s", status: { type } }));
    const info = { id: "m", role: "assistant", sessionID: "s", providerID: "p", modelID: "m", finish };
    status("busy");
    read(opencodeEvent("message.updated", { info }));
    if (error) read(opencodeEvent("session.error", { sessionID: "s", error }));
    const [end] = status("idle");
    expect(status("idle")).toEqual([]);
    return end?.type === "turn-end" ? end.reason : undefined;
  };
  expect(idle("stop")).toBe("completed");
  expect(idle("tool-calls")).toBe("interrupted");
  expect(idle(undefined)).toBe("interrupted");
  expect(idle("length")).toBe("limit");
  expect(idle("stop", { name: "MessageAbortedError", data: {} })).toBe("interrupted");
  expect(idle(undefined, { name: "APIError", data: { statusCode: 429, message: "m" } })).toBe("rate-limit");
  expect(idle(undefined, { name: "APIError", data: { statusCode: 500, message: "m" } })).toBe("error");
});

test("gemini: a message is counted once, though it is written again with its tools", () => {
  const read = createChatReader();
  const message = {
    id: "g1",
    type: "gemini",
    model: "gemini-2.5-pro",
    tokens: { total: 20_000, input: 19_950, cached: 9_000, output: 30, thoughts: 20 },
  };
  expect(read(JSON.stringify(message))).toEqual([
    {
      type: "figures",
      model: "gemini-2.5-pro",
      contextTokens: 20_000,
      call: { input: 10_950, cacheRead: 9_000, output: 50, reasoning: 20 },
    },
  ]);
  expect(read(JSON.stringify({ ...message, toolCalls: [] }))).toEqual([]);
  const results = { type: "user", content: [{ functionResponse: { id: "t1" } }, { text: "x" }] };
  expect(read(JSON.stringify(results))).toEqual([{ type: "results", ids: ["t1"] }]);
});

test("gemini: its windows are those of its own table, a quota is told from other failures", () => {
  expect(geminiWindow("gemini-2.5-pro")).toBe(1_048_576);
  expect(geminiWindow("gemma-4-31b-it")).toBe(256_000);
  expect(
    readFailure("[API Error: You exceeded your current quota.\nSuggested retry after 59.5s.]", 1_000),
  ).toEqual(expect.objectContaining({ reason: "rate-limit", resetsAtMs: 60_500 }));
  const message = "[API Error: model not found]";
  expect(readFailure(message, 0)).toEqual({ reason: "error", message });
});

test("shelley: a message sent twice is read once; a cancelled turn is no answer", () => {
  const { read, lastSequenceId } = createShelleyTranslator();
  const frame = (message: object) => JSON.stringify({ conversation_id: "c", messages: [message] });
  const agent = {
    message_id: "m1",
    sequence_id: 4,
    type: "agent",
    llm_data: JSON.stringify({ Content: [{ Type: 2, Text: "DONE: x" }] }),
    usage_data: JSON.stringify({
      input_tokens: 1,
      cache_read_input_tokens: 100,
      output_tokens: 5,
      cost_usd: 0.25,
    }),
    end_of_turn: true,
  };
  expect(read(frame(agent))).toEqual([
    { type: "text", text: "DONE: x" },
    {
      type: "usage",
      source: "live",
      contextTokens: 106,
      totalTokens: 106,
      totalCostUsd: 0.25,
      tokensByClass: { input: 1, cacheRead: 100, cacheWrite: 0, output: 5 },
    },
    { type: "turn-end", reason: "completed", text: "DONE: x" },
  ]);
  expect(read(frame(agent))).toEqual([]);
  expect(lastSequenceId()).toBe(4);
  const said = (text: string) => JSON.stringify({ Content: [{ Type: 2, Text: text }] });
  expect(
    read(frame({ ...agent, message_id: "m2", usage_data: null, llm_data: said("[Operation cancelled]") })),
  ).toEqual([{ type: "turn-end", reason: "interrupted", text: "" }]);
  const error = { ...agent, message_id: "m3", type: "error", usage_data: null };
  expect(read(frame({ ...error, llm_data: said("LLM request failed: 429 slow down") }))).toMatchObject([
    { type: "turn-end", reason: "rate-limit" },
  ]);
});

test("a tool call's summary is one short line, whatever the input", () => {
  expect(summarizeToolInput({ command: "npm  test\n&& git   push", description: "d" })).toBe(
    "npm test && git push",
  );
  expect(summarizeToolInput({ command: ["sh", "-c", "ls"] })).toBe("sh -c ls");
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (input) => {
      const summary = summarizeToolInput(input);
      expect(summary.length).toBeLessThanOrEqual(120);
      expect(summary).not.toMatch(/[\r\n]/);
    }),
  );
});

test("no line whatever makes any of them throw", () => {
  const keys = [
    "type",
    "properties",
    "part",
    "info",
    "message",
    "messages",
    "content",
    "usage",
    "tokens",
    "data",
    "role",
  ];
  const values = fc.oneof(
    fc.jsonValue(),
    fc.constantFrom("message_end", "message.part.updated", "gemini", "user", "agent", "tool", "assistant"),
  );
  const anything = fc.dictionary(
    fc.constantFrom(...keys),
    fc.oneof(values, fc.dictionary(fc.constantFrom(...keys), values)),
  );
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        anything.map((value) => JSON.stringify(value)),
      ),
      (line) => {
        createPiTranslator().read(line);
        createOpencodeTranslator("s")(line);
        createChatReader()(line);
        createShelleyTranslator().read(line);
      },
    ),
  );
});
