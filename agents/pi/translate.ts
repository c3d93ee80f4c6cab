import { piTokens } from "./tokens.ts";
import { contextTokensOf } from "../token-classes.ts";
import type { AgentEndReason, AgentEvent } from "../driver.ts";
import { type Json, listAt, numberAt, objectAt, parseObject, textAt } from "../json.ts";
import { createSpending } from "../spending.ts";
import { summarizeToolInput, summarizeToolProblem } from "../tool-summary.ts";

/** What one line of pi's RPC mode means. `calls` are tool calls the model has asked for and pi is about to run. */
export type PiSignal =
  | Exclude<AgentEvent, { type: "ended" }>
  | { type: "calls"; ids: string[] }
  | { type: "maybe-over" }
  | { type: "goes-on" }
  | { type: "settled" }
  | { type: "refused"; message: string };

/** How the agent's last message left the turn. */
export type PiOutcome = { reason: AgentEndReason; message?: string };

export const SETTLE_ID = "nightshift-settle";
export const STATE_ID = "nightshift-state";

const outcomeOf = (message: Json): PiOutcome => {
  const said = textAt(message, "errorMessage") ?? "the model gave an error";
  switch (message["stopReason"]) {
    case "stop":
      return { reason: "completed" };
    case "aborted":
      return { reason: "interrupted" };
    case "length":
      return { reason: "limit", message: "the model's output limit was reached" };
    default:
      // The providers' clients put the HTTP status first; pi has no field for it.
      return { reason: /^429\b/.test(said) ? "rate-limit" : "error", message: said };
  }
};

const textOf = (message: Json): string =>
  listAt(message, "content")
    .filter((block) => block["type"] === "text")
    .map((block) => textAt(block, "text") ?? "")
    .join("\n");

/** Lines that say nothing that a supervisor acts on. */
const QUIET = new Set([
  "agent_settled", // 0.87
  "auto_retry_end",
  "entry_appended", // 0.87
  "extension_error",
  "extension_ui_request",
  "message_start",
  "queue_update",
  "session_info_changed",
  "summarization_retry_attempt_start",
  "summarization_retry_finished",
  "summarization_retry_scheduled",
  "thinking_level_changed",
  "tool_execution_update",
  "turn_end",
  "turn_start",
]);

/** Follows one pi process; figures are per call, cost adds up. */
export const createPiTranslator = (knownWindow?: number) => {
  let windowTokens = knownWindow;
  const spending = createSpending();
  let totalCostUsd = 0;
  let isRunning = false;
  let outcome: PiOutcome = { reason: "error", message: "pi gave no answer" };

  const readMessage = (message: Json): PiSignal[] => {
    if (message["role"] !== "assistant") return [];
    outcome = outcomeOf(message);
    const usage = objectAt(message, "usage");
    const tokens = piTokens(usage);
    const contextTokens = contextTokensOf(tokens);
    totalCostUsd += numberAt(objectAt(usage, "cost"), "total") ?? 0;
    spending.add(undefined, tokens);
    spending.replace({ totalCostUsd });
    const ids = listAt(message, "content")
      .filter((block) => block["type"] === "toolCall")
      .map((block) => textAt(block, "id") ?? "");
    const text = textOf(message);
    const window = windowTokens === undefined ? {} : { windowTokens };
    return [
      { type: "calls", ids },
      ...(text === "" ? [] : [{ type: "text" as const, text }]),
      // A message that failed or was cut short carries zeros, which are no figures.
      ...(contextTokens === 0
        ? []
        : [
            {
              type: "usage" as const,
              contextTokens,
              source: "live" as const,
              ...spending.spent(),
              ...window,
            },
          ]),
    ];
  };

  const readResponse = (line: Json): PiSignal[] => {
    if (line["success"] === false)
      return [{ type: "refused", message: textAt(line, "error") ?? "pi refused the prompt" }];
    if (line["id"] === SETTLE_ID) return [{ type: "settled" }];
    if (line["id"] !== STATE_ID) return [];
    const model = objectAt(line, "data", "model");
    windowTokens = knownWindow ?? numberAt(model, "contextWindow") ?? windowTokens;
    const conversationId = textAt(objectAt(line, "data"), "sessionId") ?? "";
    const name = textAt(model, "id");
    return [{ type: "started", conversationId, ...(name === undefined ? {} : { model: name }) }];
  };

  const read = (text: string): PiSignal[] => {
    // Token by token, by far the most lines: not worth parsing.
    if (text.startsWith('{"type":"message_update"')) return [];
    const line = parseObject(text);
    if (!line) return [{ type: "warning", message: "pi wrote a line that is not JSON" }];
    const id = textAt(line, "toolCallId") ?? "";
    switch (line["type"]) {
      case "response":
        return readResponse(line);
      case "message_end":
        return readMessage(objectAt(line, "message"));
      case "tool_execution_start": {
        const summary = summarizeToolInput(objectAt(line, "args"));
        return [{ type: "tool-start", id, name: textAt(line, "toolName") ?? "", summary }];
      }
      case "tool_execution_end":
        return [
          {
            type: "tool-end",
            id,
            isError: line["isError"] === true,
            ...(line["isError"] === true ? summarizeToolProblem(objectAt(line, "result")["content"]) : {}),
          },
        ];
      case "agent_end":
        isRunning = false;
        return [{ type: "maybe-over" }];
      case "compaction_end":
        // 0.87.1 compacts between two calls of a run, too; 0.73.1 only after one, and begins again when it has answered.
        return [{ type: isRunning || line["willRetry"] === true ? "goes-on" : "maybe-over" }];
      case "auto_retry_start":
        return [
          { type: "goes-on" },
          { type: "warning", message: `pi tries again after: ${textAt(line, "errorMessage") ?? "an error"}` },
        ];
      case "agent_start":
        isRunning = true;
        return [{ type: "goes-on" }];
      case "compaction_start":
        return [{ type: "goes-on" }];
      default: {
        const kind = textAt(line, "type") ?? "no type";
        return QUIET.has(kind) ? [] : [{ type: "unknown", kind, line: text }];
      }
    }
  };
  return { read, outcome: () => outcome };
};
