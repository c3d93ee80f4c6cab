import { systemClock } from "../../core/clock.ts";
import type { AgentEndReason, AgentSettings } from "../driver.ts";
import type { TurnEnd, TurnSignal } from "../event-stream.ts";
import { asJson, type Json, listAt, numberAt, objectAt, parseObject, textAt } from "../json.ts";
import { createMeter } from "../meter.ts";
import { addTokens, ANTHROPIC_NAMES, contextTokensOf, NO_TOKENS, readTokens } from "../token-classes.ts";
import { toolEnd, toolStart } from "../tool-events.ts";

/** What one line of Claude Code's `stream-json` output means. */
export type ClaudeSignal = TurnSignal | { type: "requesting" };

/** Lines that say nothing that a supervisor acts on. */
const QUIET = new Set([
  "auth_status",
  "control_request",
  "keep_alive",
  "prompt_suggestion",
  "tool_progress",
  "tool_use_summary",
]);

/** The conversation that has no parent. */
const MAIN = "";

/** A wait longer than this is a usage limit or an outage, which the worker waits out, not a hiccup. */
const LONGEST_RETRY_MS = 60_000;

/** Each model's tokens in a `result`. */
const RESULT_NAMES = [
  "inputTokens",
  "cacheReadInputTokens",
  "cacheCreationInputTokens",
  "outputTokens",
] as const;

const resultMessage = (result: Json): string => {
  const errors = result["errors"];
  if (Array.isArray(errors) && errors.length > 0) return errors.map(String).join("; ");
  return textAt(result, "result") || `ended with ${textAt(result, "subtype") ?? "an error"}`;
};

const endReason = (result: Json): AgentEndReason => {
  const subtype = textAt(result, "subtype") ?? "";
  const terminal = textAt(result, "terminal_reason") ?? "";
  if (terminal === "hook_stopped" || terminal.startsWith("aborted")) return "interrupted";
  if (subtype === "error_max_turns" || subtype.startsWith("error_max_budget")) return "limit";
  if (numberAt(result, "api_error_status") === 429) return "rate-limit";
  // Exit code and subtype both say success for failures too; `is_error` does not.
  return result["is_error"] === false && subtype === "success" ? "completed" : "error";
};

const readResult = (result: Json): TurnEnd => {
  const reason = endReason(result);
  return reason === "completed" || reason === "interrupted"
    ? { type: "turn-end", reason, text: textAt(result, "result") ?? "" }
    : { type: "turn-end", reason, text: "", message: resultMessage(result) };
};

const readRateLimit = (line: Json): ClaudeSignal[] => {
  const info = objectAt(line, "rate_limit_info");
  if (textAt(info, "status") !== "rejected") return [];
  const resetsAt = numberAt(info, "resetsAt"); // seconds
  return [
    {
      type: "rate-limit",
      message: `usage limit reached (${textAt(info, "rateLimitType") ?? "account"})`,
      resetsAtMs: resetsAt && resetsAt * 1000,
    },
  ];
};

const readAssistant = (message: Json, isMain: boolean): ClaudeSignal[] =>
  listAt(message, "content").flatMap((block): ClaudeSignal[] => {
    if (block["type"] === "tool_use")
      return [toolStart(textAt(block, "id") ?? "", textAt(block, "name"), objectAt(block, "input"))];
    return block["type"] === "text" && isMain ? [{ type: "text", text: textAt(block, "text") ?? "" }] : [];
  });

const readToolResults = (message: Json): ClaudeSignal[] =>
  listAt(message, "content")
    .filter((block) => block["type"] === "tool_result")
    .map((block) =>
      toolEnd(textAt(block, "tool_use_id") ?? "", block["is_error"] === true, block["content"]),
    );

/** Follows one process's output; keeps what figures need from earlier lines. */
export const createClaudeTranslator = (settings: Pick<AgentSettings, "contextWindow" | "prices"> = {}) => {
  const meter = createMeter(settings);
  /** the call that each conversation waits for, sub-agents' too: their calls run beside each other */
  const calls = new Map<string, { model: string | undefined; output: number }>();
  let hasStarted = false;
  let isLimitTold = false;
  let inputTokens = 0;

  const usage = (): ClaudeSignal[] => (meter.contextTokens() === 0 ? [] : [meter.usage()]);

  // One call's figures come in two lines: its input when it begins, its output when it is over.
  const readStream = (event: Json, conversation: string): ClaudeSignal[] => {
    const isMain = conversation === MAIN;
    if (event["type"] === "message_start") {
      const message = objectAt(event, "message");
      const input = objectAt(message, "usage");
      const model = textAt(message, "model") ?? meter.model();
      calls.set(conversation, { model, output: 0 });
      // Its output here is a placeholder.
      const tokens = { ...readTokens(input, ANTHROPIC_NAMES), output: 0 };
      const sent = contextTokensOf(tokens);
      const hourWrites = numberAt(objectAt(input, "cache_creation"), "ephemeral_1h_input_tokens");
      meter.spending.add(model, isMain ? tokens : { ...tokens, subAgents: sent }, hourWrites);
      if (!isMain) return usage();
      inputTokens = sent;
      meter.setContext(sent);
      return [...meter.learnModel(model), meter.usage()];
    }
    if (event["type"] !== "message_delta") return [];
    const call = calls.get(conversation) ?? { model: meter.model(), output: 0 };
    const output = numberAt(objectAt(event, "usage"), "output_tokens") ?? 0;
    const added = output - call.output;
    meter.spending.add(call.model, isMain ? { output: added } : { output: added, subAgents: added });
    calls.set(conversation, { ...call, output });
    if (isMain) meter.setContext(inputTokens + output);
    return usage();
  };

  const readControl = (line: Json): ClaudeSignal[] => {
    const tokens = numberAt(objectAt(line, "response", "response"), "maxTokens");
    if (tokens === undefined || settings.contextWindow !== undefined) return [];
    meter.setWindow(tokens);
    return usage();
  };

  /** With `CLAUDE_CODE_RETRY_WATCHDOG` it sleeps until a limit resets, for hours, and would pass for idle. */
  const readRetry = (line: Json): ClaudeSignal[] => {
    const status = numberAt(line, "error_status");
    const delayMs = numberAt(line, "retry_delay_ms") ?? 0;
    const message = `the model's API failed (${status ?? "no answer"})`;
    if (delayMs <= LONGEST_RETRY_MS)
      return [{ type: "warning", message: `${message}; Claude Code tries again` }];
    if (status !== 429) return [{ type: "turn-end", reason: "error", text: "", message }];
    // Subscribers were told the reset just before, to the second.
    const told: ClaudeSignal = { type: "rate-limit", message, resetsAtMs: systemClock.now() + delayMs };
    return [...(isLimitTold ? [] : [told]), { type: "turn-end", reason: "rate-limit", text: "", message }];
  };

  const readSystem = (line: Json): ClaudeSignal[] => {
    if (line["subtype"] === "api_retry") return readRetry(line);
    if (line["subtype"] === "status" && line["status"] === "requesting") return [{ type: "requesting" }];
    if (line["subtype"] !== "init" || hasStarted) return [];
    hasStarted = true;
    return [
      { type: "started", conversationId: textAt(line, "session_id") ?? "" },
      ...meter.learnModel(textAt(line, "model")),
    ];
  };

  return (text: string): ClaudeSignal[] => {
    // Token by token, by far the most lines: not worth parsing.
    if (text.startsWith('{"type":"stream_event","event":{"type":"content_block_delta"')) return [];
    const line = parseObject(text);
    if (!line) return [{ type: "warning", message: "Claude Code wrote a line that is not JSON" }];
    // Sub-agents have contexts of their own: their figures are not the conversation's.
    const conversation = textAt(line, "parent_tool_use_id") ?? MAIN;
    switch (line["type"]) {
      case "system":
        return readSystem(line);
      case "stream_event":
        return readStream(objectAt(line, "event"), conversation);
      case "assistant":
        return readAssistant(objectAt(line, "message"), conversation === MAIN);
      case "user":
        return readToolResults(objectAt(line, "message"));
      case "rate_limit_event":
        isLimitTold = true;
        return readRateLimit(line);
      case "control_response":
        return readControl(line);
      case "result": {
        // Its own figures, sub-agents and helpers' calls included, are the last word on what it cost.
        const models = Object.values(objectAt(line, "modelUsage")).map((of) =>
          readTokens(asJson(of), RESULT_NAMES),
        );
        const totalCostUsd = numberAt(line, "total_cost_usd");
        meter.spending.replace({ totalCostUsd, tokens: models.reduce(addTokens, NO_TOKENS) });
        return [{ ...readResult(line), ...meter.spending.spent() }];
      }
      default: {
        const kind = textAt(line, "type") ?? "no type";
        return QUIET.has(kind) ? [] : [{ type: "unknown", kind, line: text }];
      }
    }
  };
};
