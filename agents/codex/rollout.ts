import { join } from "node:path";
import { listNames } from "../files.ts";
import { type Json, numberAt, objectAt, parseObject, sumAt, textAt } from "../json.ts";
import type { AgentSettings } from "../driver.ts";
import { createSpending } from "../spending.ts";
import { summarizeToolInput, summarizeToolProblem } from "../tool-summary.ts";
import type { TurnSignal } from "../turn-session.ts";

/** Codex's home: `CODEX_HOME`, else `~/.codex`. */
export const codexHome = (env: Readonly<Record<string, string>>): string =>
  env["CODEX_HOME"] ?? join(env["HOME"] ?? "", ".codex");

const newestFirst = (path: string): string[] =>
  listNames(path)
    .sort()
    .reverse()
    .map((name) => join(path, name));

/** The file in which Codex records a thread as it goes (`sessions/Y/M/D/rollout-…-<id>.jsonl`). */
export const findRollout = (home: string, threadId: string): string | undefined => {
  for (const year of newestFirst(join(home, "sessions")))
    for (const month of newestFirst(year))
      for (const day of newestFirst(month)) {
        const name = listNames(day).find((file) => file.endsWith(`-${threadId}.jsonl`));
        if (name !== undefined) return join(day, name);
      }
  return undefined;
};

/** What the rollout says that Codex does not print: tool calls as they begin, usage a call, limits. */
export type RolloutSignal = Exclude<TurnSignal, { type: "turn-end" }> | { type: "limit-reached" };

/** What a call does, from its arguments: JSON of a function's, plain text of a custom tool's (a patch). */
const callSummary = (call: Json): string => {
  const text = textAt(call, "arguments") ?? textAt(call, "input") ?? "";
  return summarizeToolInput(parseObject(text) ?? { command: text });
};

/** A call that a hook refused never ran, so it has no exit code: its output is the reason alone. */
const isRefusal = (output: unknown): boolean =>
  typeof output === "string" && /\bblocked by (?:PreToolUse )?hook\b|nightshift critic: STOP/i.test(output);

const reasoningOf = (call: Json) => {
  const reasoning = numberAt(call, "reasoning_output_tokens");
  return reasoning === undefined ? {} : { reasoning };
};

/** Reads the lines a rollout gains while a process works on it. */
export const createRolloutReader = ({
  contextWindow: knownWindow,
  prices,
}: Pick<AgentSettings, "contextWindow" | "prices"> = {}) => {
  const spending = createSpending(prices);
  let model: string | undefined;
  let windowTokens = knownWindow;
  let contextTokens = 0;
  let resetsAtMs: number | undefined;
  const failedCalls = new Set<string>();

  const usage = (): RolloutSignal => ({
    type: "usage",
    contextTokens,
    source: "live",
    ...spending.spent(),
    ...(windowTokens === undefined ? {} : { windowTokens }),
  });
  /** `input_tokens` holds the cached ones, `output_tokens` the reasoning. */
  const addCall = (call: Json): RolloutSignal => {
    const cacheRead = numberAt(call, "cached_input_tokens") ?? 0;
    contextTokens = sumAt(call, "input_tokens", "output_tokens");
    spending.add(model, {
      input: (numberAt(call, "input_tokens") ?? 0) - cacheRead,
      cacheRead,
      output: numberAt(call, "output_tokens") ?? 0,
      ...reasoningOf(call),
    });
    return usage();
  };
  const learnModel = (name: string | undefined): RolloutSignal[] => {
    if (name === undefined || name === model) return [];
    model = name;
    return [{ type: "model", model: name }];
  };
  const learnWindow = (from: Json) => {
    windowTokens = knownWindow ?? numberAt(from, "model_context_window") ?? windowTokens;
  };

  const readEvent = (payload: Json): RolloutSignal[] => {
    if (payload["type"] === "task_started") learnWindow(payload);
    const exitCode = numberAt(objectAt(payload, "item"), "exit_code") ?? 0;
    if (exitCode !== 0) failedCalls.add(textAt(objectAt(payload, "item"), "id") ?? "");
    if (payload["type"] === "token_count") {
      learnWindow(objectAt(payload, "info"));
      const resets = ["primary", "secondary"]
        .map((name) => objectAt(payload, "rate_limits", name))
        .filter((limit) => (numberAt(limit, "used_percent") ?? 0) >= 100)
        .map((limit) => (numberAt(limit, "resets_at") ?? 0) * 1000);
      if (resets.length > 0) resetsAtMs = Math.max(...resets);
      // Without the records of newer versions this is the only figure of a call.
      const call = objectAt(payload, "info", "last_token_usage");
      const last = sumAt(call, "input_tokens", "output_tokens");
      return last !== 0 && last !== contextTokens ? [addCall(call)] : [];
    }
    if (textAt(objectAt(payload, "error"), "codex_error_info") !== "usage_limit_exceeded") return [];
    const message = textAt(objectAt(payload, "error"), "message") ?? "usage limit reached";
    return [
      { type: "rate-limit", message, ...(resetsAtMs === undefined ? {} : { resetsAtMs }) },
      { type: "limit-reached" },
    ];
  };

  const readItem = (payload: Json): RolloutSignal[] => {
    const type = textAt(payload, "type") ?? "";
    const id = textAt(payload, "call_id");
    if (id === undefined) return [];
    if (type.endsWith("_call_output")) {
      const isError = failedCalls.delete(id) || isRefusal(payload["output"]);
      return [{ type: "tool-end", id, isError, ...(isError ? summarizeToolProblem(payload["output"]) : {}) }];
    }
    if (!type.endsWith("_call")) return [];
    return [{ type: "tool-start", id, name: textAt(payload, "name") ?? type, summary: callSummary(payload) }];
  };

  return (line: string): RolloutSignal[] => {
    const entry = parseObject(line);
    if (!entry) return [];
    const payload = objectAt(entry, "payload");
    switch (entry["type"]) {
      case "event_msg":
        return readEvent(payload);
      case "response_item":
        return readItem(payload);
      case "token_usage_record":
        return [addCall(objectAt(payload, "usage"))]; // written before the call's tools begin
      case "turn_context":
        return learnModel(textAt(payload, "model"));
      default:
        return [];
    }
  };
};
