import { join } from "node:path";
import { listNames } from "../files.ts";
import { type Json, numberAt, objectAt, parseObject, sumAt, textAt } from "../json.ts";
import type { AgentSettings } from "../driver.ts";
import type { TurnSignal } from "../event-stream.ts";
import { createMeter } from "../meter.ts";
import { toolEnd, toolStart } from "../tool-events.ts";

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

/** What a call does, from its arguments: JSON of a function's, plain text of a custom tool's (a patch). */
const inputOf = (call: Json): Json => {
  const text = textAt(call, "arguments") ?? textAt(call, "input") ?? "";
  return parseObject(text) ?? { command: text };
};

/** A call that a hook refused never ran, so it has no exit code: its output is the reason alone. */
const isRefusal = (output: unknown): boolean =>
  typeof output === "string" && /\bblocked by (?:PreToolUse )?hook\b|nightshift critic: STOP/i.test(output);

/** Reads the lines a rollout gains: what Codex does not print, as tool calls when they begin, usage a call, limits. */
export const createRolloutReader = (settings: Pick<AgentSettings, "contextWindow" | "prices"> = {}) => {
  const meter = createMeter(settings);
  let resetsAtMs: number | undefined;
  const failedCalls = new Set<string>();

  /** `input_tokens` holds the cached ones, `output_tokens` the reasoning. */
  const addCall = (call: Json): TurnSignal => {
    const cacheRead = sumAt(call, "cached_input_tokens");
    const reasoning = numberAt(call, "reasoning_output_tokens");
    meter.setContext(sumAt(call, "input_tokens", "output_tokens"));
    meter.spending.add(meter.model(), {
      input: sumAt(call, "input_tokens") - cacheRead,
      cacheRead,
      output: sumAt(call, "output_tokens"),
      ...(reasoning === undefined ? {} : { reasoning }),
    });
    return meter.usage();
  };

  const learnWindow = (from: Json) =>
    meter.setWindow(numberAt(from, "model_context_window") ?? meter.windowTokens());

  const readEvent = (payload: Json): TurnSignal[] => {
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
      return last !== 0 && last !== meter.contextTokens() ? [addCall(call)] : [];
    }
    if (textAt(objectAt(payload, "error"), "codex_error_info") !== "usage_limit_exceeded") return [];
    const message = textAt(objectAt(payload, "error"), "message") ?? "usage limit reached";
    return [{ type: "rate-limit", message, resetsAtMs }];
  };

  const readItem = (payload: Json): TurnSignal[] => {
    const type = textAt(payload, "type") ?? "";
    const id = textAt(payload, "call_id");
    if (id === undefined) return [];
    if (type.endsWith("_call_output")) {
      const isError = failedCalls.delete(id) || isRefusal(payload["output"]);
      return [toolEnd(id, isError, payload["output"])];
    }
    return type.endsWith("_call") ? [toolStart(id, textAt(payload, "name") ?? type, inputOf(payload))] : [];
  };

  return (line: string): TurnSignal[] => {
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
        return meter.learnModel(textAt(payload, "model"));
      default:
        return [];
    }
  };
};
