import { systemClock } from "../../core/clock.ts";
import type { AgentEndReason, AgentEvent, AgentSettings } from "../driver.ts";
import { type Json, listAt, numberAt, objectAt, parseObject, sumAt, textAt } from "../json.ts";
import { createSpending, type Spending } from "../spending.ts";
import type { TokenClasses } from "../token-classes.ts";
import { summarizeToolInput, summarizeToolProblem } from "../tool-summary.ts";

type TurnEnd = {
  type: "turn-end";
  reason: AgentEndReason;
  /** the agent's last message, whole; empty when it was stopped before it had one */
  text: string;
  message?: string;
} & Spending;

/** What one line of Claude Code's `stream-json` output means to a supervisor. */
export type ClaudeSignal = Exclude<AgentEvent, { type: "ended" }> | TurnEnd | { type: "requesting" };

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

const INPUT_TOKENS = ["input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"];

const resultTokens = (result: Json): TokenClasses => {
  const models = Object.values(objectAt(result, "modelUsage")) as Json[];
  const sum = (key: string) => models.reduce((total, usage) => total + (numberAt(usage, key) ?? 0), 0);
  return {
    input: sum("inputTokens"),
    cacheRead: sum("cacheReadInputTokens"),
    cacheWrite: sum("cacheCreationInputTokens"),
    output: sum("outputTokens"),
  };
};

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
  return {
    type: "turn-end",
    reason,
    text: reason === "completed" || reason === "interrupted" ? (textAt(result, "result") ?? "") : "",
    ...(reason === "completed" || reason === "interrupted" ? {} : { message: resultMessage(result) }),
  };
};

const readRateLimit = (line: Json): ClaudeSignal[] => {
  const info = objectAt(line, "rate_limit_info");
  if (textAt(info, "status") !== "rejected") return [];
  const resetsAt = numberAt(info, "resetsAt"); // seconds
  return [
    {
      type: "rate-limit",
      message: `usage limit reached (${textAt(info, "rateLimitType") ?? "account"})`,
      ...(resetsAt === undefined ? {} : { resetsAtMs: resetsAt * 1000 }),
    },
  ];
};

const readAssistant = (message: Json, isMain: boolean): ClaudeSignal[] =>
  listAt(message, "content").flatMap((block): ClaudeSignal[] => {
    if (block["type"] === "tool_use")
      return [
        {
          type: "tool-start",
          id: textAt(block, "id") ?? "",
          name: textAt(block, "name") ?? "",
          summary: summarizeToolInput(objectAt(block, "input")),
        },
      ];
    return block["type"] === "text" && isMain ? [{ type: "text", text: textAt(block, "text") ?? "" }] : [];
  });

const readToolResults = (message: Json): ClaudeSignal[] =>
  listAt(message, "content")
    .filter((block) => block["type"] === "tool_result")
    .map((block) => ({
      type: "tool-end",
      id: textAt(block, "tool_use_id") ?? "",
      isError: block["is_error"] === true,
      ...(block["is_error"] === true ? summarizeToolProblem(block["content"]) : {}),
    }));

/** Follows one process's output; keeps what figures need from earlier lines. */
export const createClaudeTranslator = ({
  contextWindow: knownWindow,
  prices,
}: Pick<AgentSettings, "contextWindow" | "prices"> = {}) => {
  const spending = createSpending(prices);
  /** the call that each conversation waits for, sub-agents' too: their calls run beside each other */
  const calls = new Map<string, { model: string | undefined; output: number }>();
  let model: string | undefined;
  let windowTokens = knownWindow;
  let hasStarted = false;
  let isLimitTold = false;
  let inputTokens = 0;
  let contextTokens = 0;

  const usage = (): ClaudeSignal => ({
    type: "usage",
    contextTokens,
    source: "live",
    ...spending.spent(),
    ...(windowTokens === undefined ? {} : { windowTokens }),
  });

  // One call's figures come in two lines: its input when it begins, its output when it is over.
  const readStream = (event: Json, conversation: string): ClaudeSignal[] => {
    const isMain = conversation === MAIN;
    if (event["type"] === "message_start") {
      const message = objectAt(event, "message");
      const input = objectAt(message, "usage");
      const answering = textAt(message, "model") ?? model;
      calls.set(conversation, { model: answering, output: 0 });
      addInput(answering, input, isMain);
      if (!isMain) return contextTokens === 0 ? [] : [usage()];
      inputTokens = sumAt(input, ...INPUT_TOKENS);
      contextTokens = inputTokens;
      return [...learnModel(answering), usage()];
    }
    if (event["type"] !== "message_delta") return [];
    const call = calls.get(conversation) ?? { model, output: 0 };
    const output = numberAt(objectAt(event, "usage"), "output_tokens") ?? 0;
    const added = output - call.output;
    spending.add(call.model, { output: added, ...(isMain ? {} : { subAgents: added }) });
    calls.set(conversation, { ...call, output });
    if (isMain) contextTokens = inputTokens + output;
    return contextTokens === 0 ? [] : [usage()];
  };

  const addInput = (answering: string | undefined, input: Json, isMain: boolean) => {
    const tokens = {
      input: numberAt(input, "input_tokens") ?? 0,
      cacheRead: numberAt(input, "cache_read_input_tokens") ?? 0,
      cacheWrite: numberAt(input, "cache_creation_input_tokens") ?? 0,
    };
    const hourWrites = numberAt(objectAt(input, "cache_creation"), "ephemeral_1h_input_tokens");
    const part = isMain ? {} : { subAgents: tokens.input + tokens.cacheRead + tokens.cacheWrite };
    spending.add(answering, { ...tokens, ...part }, hourWrites);
  };

  const learnModel = (name: string | undefined): ClaudeSignal[] => {
    if (name === undefined || name === model) return [];
    model = name;
    return [{ type: "model", model: name }];
  };

  const readControl = (line: Json): ClaudeSignal[] => {
    const tokens = numberAt(objectAt(line, "response", "response"), "maxTokens");
    if (tokens === undefined || knownWindow !== undefined) return [];
    windowTokens = tokens;
    return contextTokens === 0 ? [] : [usage()];
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
      ...learnModel(textAt(line, "model")),
    ];
  };

  const readOther = (line: Json, text: string): ClaudeSignal[] => {
    const kind = textAt(line, "type") ?? "no type";
    return QUIET.has(kind) ? [] : [{ type: "unknown", kind, line: text }];
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
      case "result":
        // Its own figures, sub-agents and helpers' calls included, are the last word on what it cost.
        spending.replace({ totalCostUsd: numberAt(line, "total_cost_usd"), tokens: resultTokens(line) });
        return [{ ...readResult(line), ...spending.spent() }];
      default:
        return readOther(line, text);
    }
  };
};
