import { shelleyTokens } from "./tokens.ts";
import { contextTokensOf } from "../token-classes.ts";
import type { AgentEndReason, AgentEvent } from "../driver.ts";
import { type Json, listAt, numberAt, objectAt, parseObject, textAt } from "../json.ts";
import { createSpending, type Spending } from "../spending.ts";
import { summarizeToolInput, summarizeToolProblem } from "../tool-summary.ts";

/** What a frame of Shelley's stream means. */
export type ShelleySignal =
  | Exclude<AgentEvent, { type: "ended" | "usage" | "started" | "model" | "activity" | "unknown" }>
  | { type: "model"; model: string }
  | ({ type: "figures"; contextTokens: number } & Spending)
  | { type: "turn-end"; reason: AgentEndReason; text: string; message?: string };

// llm/llm.go: the numbers Shelley writes for kinds of content.
const TEXT = 2;
const TOOL_USE = 5;
const TOOL_RESULT = 6;

/** What Shelley records as the agent's last message when a turn is cancelled (server/convo.go). */
const CANCELLED = "[Operation cancelled]";

const textOf = (data: Json): string =>
  listAt(data, "Content")
    .filter((content) => content["Type"] === TEXT)
    .map((content) => textAt(content, "Text") ?? "")
    .join("\n");

const readTools = (data: Json): ShelleySignal[] =>
  listAt(data, "Content").flatMap((content): ShelleySignal[] => {
    if (content["Type"] === TOOL_USE)
      return [
        {
          type: "tool-start",
          id: textAt(content, "ID") ?? "",
          name: textAt(content, "ToolName") ?? "",
          summary: summarizeToolInput(objectAt(content, "ToolInput")),
        },
      ];
    if (content["Type"] !== TOOL_RESULT) return [];
    const id = textAt(content, "ToolUseID") ?? "";
    const isError = content["ToolError"] === true;
    return [{ type: "tool-end", id, isError, ...(isError ? readToolProblem(content) : {}) }];
  });

const readToolProblem = (content: Json) =>
  summarizeToolProblem(
    listAt(content, "ToolResult")
      .map((part) => textAt(part, "Text") ?? "")
      .join(" "),
  );

const readEnd = (type: string, data: Json, text: string): ShelleySignal => {
  if (text === CANCELLED) return { type: "turn-end", reason: "interrupted", text: "" };
  if (type !== "error" && !textAt(data, "ErrorType")) return { type: "turn-end", reason: "completed", text };
  // Shelley has no field for a limit: the provider's status is in the message.
  const reason = /\b429\b|rate.limit/i.test(text) ? "rate-limit" : "error";
  return { type: "turn-end", reason, text: "", message: text };
};

/** Follows the messages of one conversation; each is sent once, again only when Shelley updates it. */
export const createShelleyTranslator = () => {
  const seen = new Set<string>();
  let lastSequenceId = 0;
  const spending = createSpending();
  let totalCostUsd = 0;

  const readUsage = (message: Json): ShelleySignal[] => {
    const usage = parseObject(textAt(message, "usage_data") ?? "") ?? {};
    const tokens = shelleyTokens(usage);
    const contextTokens = contextTokensOf(tokens);
    if (contextTokens === 0) return [];
    totalCostUsd += numberAt(usage, "cost_usd") ?? 0;
    spending.add(undefined, tokens);
    spending.replace({ totalCostUsd });
    return [{ type: "figures", contextTokens, ...spending.spent() }];
  };

  const readMessage = (message: Json): ShelleySignal[] => {
    const id = textAt(message, "message_id") ?? "";
    if (seen.has(id)) return [];
    seen.add(id);
    lastSequenceId = Math.max(lastSequenceId, numberAt(message, "sequence_id") ?? 0);
    const type = textAt(message, "type") ?? "";
    const data = parseObject(textAt(message, "llm_data") ?? "") ?? {};
    const tools = readTools(data);
    if (type !== "agent" && type !== "error") return tools;
    const text =
      textOf(data) || (textAt(parseObject(textAt(message, "user_data") ?? "") ?? {}, "text") ?? "");
    const isOver = message["end_of_turn"] === true;
    const said = type === "agent" && text !== "" && text !== CANCELLED;
    return [
      ...(said ? [{ type: "text" as const, text }] : []),
      // The calls first: a supervisor that stops at these figures must know that tools are about to run.
      ...tools,
      ...readUsage(message),
      ...(isOver ? [readEnd(type, data, text)] : []),
    ];
  };

  const read = (frame: string): ShelleySignal[] => {
    const event = parseObject(frame);
    if (!event) return [{ type: "warning", message: "Shelley sent a frame that is not JSON" }];
    const model = textAt(objectAt(event, "conversation_state"), "model");
    return [
      ...(model === undefined ? [] : [{ type: "model" as const, model }]),
      ...listAt(event, "messages").flatMap(readMessage),
    ];
  };
  return { read, lastSequenceId: () => lastSequenceId };
};
