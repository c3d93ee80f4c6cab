import type { AgentSettings } from "../driver.ts";
import type { TurnEnd, TurnSignal } from "../event-stream.ts";
import { contentText, type Json, listAt, numberAt, objectAt, parseObject, sumAt, textAt } from "../json.ts";
import { createMeter } from "../meter.ts";
import { contextTokensOf, readTokens } from "../token-classes.ts";
import { toolEnd, toolStart } from "../tool-events.ts";
import { PI_NAMES } from "./entries.ts";

/** What one line of pi's RPC mode means. `calls` are tool calls the model has asked for and pi is about to run. */
export type PiSignal =
  | TurnSignal
  | { type: "calls"; ids: string[] }
  | { type: "maybe-over" }
  | { type: "goes-on" }
  | { type: "settled" };

export const SETTLE_ID = "nightshift-settle";
export const STATE_ID = "nightshift-state";

/** How the agent's last message left the turn. */
const outcomeOf = (message: Json): TurnEnd => {
  const said = textAt(message, "errorMessage") ?? "the model gave an error";
  const end = { type: "turn-end" } as const;
  switch (message["stopReason"]) {
    case "stop":
      return { ...end, reason: "completed" };
    case "aborted":
      return { ...end, reason: "interrupted" };
    case "length":
      return { ...end, reason: "limit", message: "the model's output limit was reached" };
    default:
      // The providers' clients put the HTTP status first; pi has no field for it.
      return { ...end, reason: /^429\b/.test(said) ? "rate-limit" : "error", message: said };
  }
};

const textOf = (message: Json): string =>
  contentText(listAt(message, "content").filter((block) => block["type"] === "text"));

/** Lines that say nothing that a supervisor acts on. */
const QUIET = new Set([
  "agent_settled", // 0.87
  "auto_retry_end",
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

/** Follows one pi process. */
export const createPiTranslator = (settings: Pick<AgentSettings, "contextWindow"> = {}) => {
  const meter = createMeter(settings);
  let isRunning = false;
  let outcome: TurnEnd = { type: "turn-end", reason: "error", message: "pi gave no answer" };

  /** Adds what a call of a model has used; returns how many tokens that were. */
  const charge = (carrier: Json): number => {
    const usage = objectAt(carrier, "usage");
    const tokens = readTokens(usage, PI_NAMES);
    meter.spending.addReported(tokens, sumAt(objectAt(usage, "cost"), "total"));
    return contextTokensOf(tokens);
  };

  /** A call of a model that is no answer of the conversation: it is paid, and the context stays as it is. */
  const chargeAside = (carrier: Json): PiSignal[] =>
    charge(carrier) > 0 && meter.contextTokens() > 0 ? [meter.usage()] : [];

  const readMessage = (message: Json): PiSignal[] => {
    // A tool may have asked a model.
    if (message["role"] !== "assistant") return chargeAside(message);
    outcome = outcomeOf(message);
    const contextTokens = charge(message);
    const ids = listAt(message, "content")
      .filter((block) => block["type"] === "toolCall")
      .map((block) => textAt(block, "id") ?? "");
    const text = textOf(message);
    const signals: PiSignal[] = [{ type: "calls", ids }];
    if (text !== "") signals.push({ type: "text", text });
    // A message that failed or was cut short carries zeros, which are no figures.
    if (contextTokens === 0) return signals;
    meter.setContext(contextTokens);
    return [...signals, meter.usage()];
  };

  const readResponse = (line: Json): PiSignal[] => {
    if (line["success"] === false)
      return [
        { type: "turn-end", reason: "error", message: textAt(line, "error") ?? "pi refused the prompt" },
      ];
    if (line["id"] === SETTLE_ID) return [{ type: "settled" }];
    if (line["id"] !== STATE_ID) return [];
    const state = objectAt(line, "data");
    const model = objectAt(state, "model");
    meter.setWindow(numberAt(model, "contextWindow"));
    const conversationId = textAt(state, "sessionId") ?? "";
    return [{ type: "started", conversationId, model: textAt(model, "id") }];
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
      case "tool_execution_start":
        return [toolStart(id, textAt(line, "toolName"), objectAt(line, "args"))];
      case "tool_execution_end":
        return [toolEnd(id, line["isError"] === true, objectAt(line, "result")["content"])];
      case "agent_end":
        isRunning = false;
        return [{ type: "maybe-over" }];
      case "entry_appended": {
        // What is asked of a model to keep its cache warm is in no message.
        const entry = objectAt(line, "entry");
        return entry["type"] === "usage" ? chargeAside(entry) : [];
      }
      case "compaction_end":
        return [
          ...chargeAside(objectAt(line, "result")),
          // 1.3.0 compacts between two calls of a run, too; 0.73.1 only after one, and begins again when it has answered.
          { type: isRunning || line["willRetry"] === true ? "goes-on" : "maybe-over" },
        ];
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
