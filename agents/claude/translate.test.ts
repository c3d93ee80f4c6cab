import fc from "fast-check";
import { expect, test } from "vitest";
import { createClaudeTranslator } from "./translate.ts";

// Lines as Claude Code 2.1.197 writes them, cut to the fields that count.
const streamed = (event: object, parent: string | null = null) =>
  JSON.stringify({ type: "stream_event", event, session_id: "s", parent_tool_use_id: parent });
const opened = (input: number, cacheRead: number, parent: string | null = null) =>
  streamed(
    {
      type: "message_start",
      message: {
        usage: {
          input_tokens: input,
          cache_creation_input_tokens: 5,
          cache_read_input_tokens: cacheRead,
          output_tokens: 1,
        },
      },
    },
    parent,
  );
const finished = (output: number, parent: string | null = null) =>
  streamed({ type: "message_delta", usage: { output_tokens: output } }, parent);
const result = (fields: object) => JSON.stringify({ type: "result", session_id: "s", ...fields });

test("context is the last call's input with both caches and its output, never a sum over calls", () => {
  const read = createClaudeTranslator({ contextWindow: 200_000 });
  read(opened(10, 1_000));
  read(finished(7));
  expect(read(opened(20, 2_000))).toMatchObject([{ contextTokens: 2_025 }]);
  expect(read(finished(9))).toEqual([
    {
      type: "usage",
      contextTokens: 2_034,
      windowTokens: 200_000,
      source: "live",
      totalTokens: 1_015 + 7 + 2_025 + 9,
      tokensByClass: { input: 30, cacheRead: 3_000, cacheWrite: 10, output: 16 },
    },
  ]);
});

test("a sub-agent's calls cost tokens and are shown at work, and are not the conversation's context", () => {
  const read = createClaudeTranslator({ contextWindow: 200_000 });
  read(opened(10, 1_000));
  expect(read(opened(10, 180_000, "toolu_task"))).toMatchObject([{ contextTokens: 1_015 }]);
  expect(read(finished(7, "toolu_task"))).toMatchObject([
    { contextTokens: 1_015, totalTokens: 1_015 + 180_015 + 7, tokensByClass: { subAgents: 180_015 + 7 } },
  ]);
  const content = [
    { type: "text", text: "DONE: of the sub-agent" },
    { type: "tool_use", id: "t9", name: "Bash", input: { command: "ls" } },
  ];
  const line = { type: "assistant", parent_tool_use_id: "toolu_task", message: { content } };
  expect(read(JSON.stringify(line))).toEqual([{ type: "tool-start", id: "t9", name: "Bash", summary: "ls" }]);
  expect(read(finished(1))).toMatchObject([{ contextTokens: 1_016, totalTokens: 1_015 + 180_015 + 7 + 1 }]);
});

test("the window is what Claude Code answers, told as soon as it is known; the config overrides it", () => {
  const answer = JSON.stringify({
    type: "control_response",
    response: { subtype: "success", request_id: "r", response: { totalTokens: 9, maxTokens: 1_000_000 } },
  });
  const read = createClaudeTranslator();
  expect(read(opened(10, 1_000))).toMatchObject([{ type: "usage", contextTokens: 1_015 }]);
  expect(read(answer)).toMatchObject([{ type: "usage", contextTokens: 1_015, windowTokens: 1_000_000 }]);
  const overridden = createClaudeTranslator({ contextWindow: 64_000 });
  overridden(answer);
  expect(overridden(opened(1, 1))).toMatchObject([{ windowTokens: 64_000 }]);
});

test.each([
  [{ subtype: "success", is_error: false, terminal_reason: "completed", result: "DONE: x" }, "completed"],
  [{ subtype: "success", is_error: false, terminal_reason: "hook_stopped", result: "" }, "interrupted"],
  [{ subtype: "error_during_execution", is_error: true, terminal_reason: "aborted_tools" }, "interrupted"],
  [{ subtype: "success", is_error: true, api_error_status: 429, result: "limit" }, "rate-limit"],
  [{ subtype: "success", is_error: true, api_error_status: 500, result: "oops" }, "error"],
  [{ subtype: "success", result: "no is_error at all" }, "error"],
  [{ subtype: "error_max_turns", is_error: true }, "limit"],
  [{ subtype: "error_max_budget_usd", is_error: true }, "limit"],
])("a result %j ends the turn as %s", (fields, reason) => {
  expect(createClaudeTranslator()(result(fields))).toMatchObject([{ type: "turn-end", reason }]);
});

test("a rejected usage limit gives its reset; a warning about one does not stop anything", () => {
  const event = (status: string) =>
    JSON.stringify({
      type: "rate_limit_event",
      rate_limit_info: { status, resetsAt: 1_900_000_000, rateLimitType: "five_hour" },
    });
  const read = createClaudeTranslator();
  expect(read(event("allowed_warning"))).toEqual([]);
  expect(read(event("rejected"))).toEqual([
    {
      type: "rate-limit",
      message: "usage limit reached (five_hour)",
      resetsAtMs: 1_900_000_000_000,
    },
  ]);
});

test("no line whatever makes it throw", () => {
  const types = [
    "system",
    "stream_event",
    "assistant",
    "user",
    "rate_limit_event",
    "control_response",
    "result",
  ];
  fc.assert(
    fc.property(fc.constantFrom(...types), fc.dictionary(fc.string(), fc.jsonValue()), (type, fields) => {
      const read = createClaudeTranslator();
      read(JSON.stringify({ ...fields, message: fields["a"], event: fields["b"], response: 3, type }));
    }),
  );
  fc.assert(fc.property(fc.string(), (line) => void createClaudeTranslator()(line)));
});
