import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { codexHome, createRolloutReader, findRollout } from "./rollout.ts";

// Lines as Codex 0.169.0 writes them, cut to the fields that count.
const line = (type: string, payload: object) => JSON.stringify({ type, payload });
const call = (id: string) =>
  line("response_item", {
    type: "function_call",
    name: "exec_command",
    arguments: '{"cmd":"npm test"}',
    call_id: id,
  });
const output = (id: string) =>
  line("response_item", { type: "function_call_output", call_id: id, output: "" });
const record = (input: number, outputTokens: number) =>
  line("token_usage_record", {
    usage: { input_tokens: input, cached_input_tokens: input / 2, output_tokens: outputTokens },
    thread_token_usage: { input_tokens: 999_999, output_tokens: 9 },
  });
const count = (input: number, limits: object = {}) =>
  line("event_msg", {
    type: "token_count",
    info: {
      last_token_usage: { input_tokens: input, output_tokens: 0 },
      total_token_usage: { input_tokens: 999_999 },
      model_context_window: 258_400,
    },
    rate_limits: limits,
  });

test("reports the last call, not the thread's total, before its tools begin, and once", () => {
  const read = createRolloutReader();
  read(line("event_msg", { type: "task_started", model_context_window: 258_400 }));
  expect(read(call("c1"))).toEqual([
    { type: "tool-start", id: "c1", name: "exec_command", summary: "npm test" },
  ]);
  expect(read(record(96_000, 50))).toEqual([
    {
      type: "usage",
      contextTokens: 96_050,
      windowTokens: 258_400,
      source: "live",
      totalTokens: 96_050,
      tokensByClass: { input: 48_000, cacheRead: 48_000, cacheWrite: 0, output: 50 },
    },
  ]);
  expect(read(output("c1"))).toEqual([{ type: "tool-end", id: "c1", isError: false }]);
  expect(read(count(96_050))).toEqual([]);
  expect(read(record(157_000, 0))).toMatchObject([{ contextTokens: 157_000, totalTokens: 253_050 }]);
});

test("an older Codex without usage records is read by its token counts", () => {
  const read = createRolloutReader({ contextWindow: 64_000 });
  expect(read(count(10_000))).toMatchObject([{ contextTokens: 10_000, windowTokens: 64_000 }]);
});

test("a command that failed is a tool call that failed", () => {
  const read = createRolloutReader();
  read(call("c1"));
  read(
    line("event_msg", { type: "item_completed", item: { type: "CommandExecution", id: "c1", exit_code: 3 } }),
  );
  expect(read(output("c1"))).toEqual([{ type: "tool-end", id: "c1", isError: true }]);
});

test("a usage limit gives the reset of the window that is full", () => {
  const read = createRolloutReader();
  read(
    count(1, {
      primary: { used_percent: 100, resets_at: 1_900_000_000 },
      secondary: { used_percent: 40, resets_at: 1_999_999_999 },
    }),
  );
  const over = { message: "You hit your limit", codex_error_info: "usage_limit_exceeded" };
  expect(read(line("event_msg", { type: "task_complete", error: over }))).toEqual([
    { type: "rate-limit", message: "You hit your limit", resetsAtMs: 1_900_000_000_000 },
  ]);
});

test("finds a thread's file by its id, in whichever day it lies", () => {
  const home = mkdtempSync(join(tmpdir(), "nightshift-codex-"));
  const day = join(home, "sessions/2026/02/03");
  mkdirSync(day, { recursive: true });
  mkdirSync(join(home, "sessions/2026/11/20"), { recursive: true });
  writeFileSync(join(day, "rollout-2026-02-03T10-00-00-abc-1.jsonl"), "");
  expect(findRollout(home, "abc-1")).toBe(join(day, "rollout-2026-02-03T10-00-00-abc-1.jsonl"));
  expect(findRollout(home, "abc-2")).toBeUndefined();
  expect(findRollout(join(home, "none"), "abc-1")).toBeUndefined();
  expect(codexHome({ HOME: "/h" })).toBe("/h/.codex");
  expect(codexHome({ HOME: "/h", CODEX_HOME: "/c" })).toBe("/c");
  rmSync(home, { recursive: true });
});

test("no line whatever makes it throw", () => {
  const types = ["event_msg", "response_item", "token_usage_record", "turn_context"];
  fc.assert(
    fc.property(fc.constantFrom(...types), fc.jsonValue(), (type, payload) => {
      createRolloutReader()(JSON.stringify({ type, payload }));
    }),
  );
  fc.assert(fc.property(fc.string(), (text) => void createRolloutReader()(text)));
});
