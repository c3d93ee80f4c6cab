import type { TurnSignal } from "../event-stream.ts";
import { contentText, type Json, listAt, numberAt, objectAt, parseObject, sumAt, textAt } from "../json.ts";
import { createMeter } from "../meter.ts";
import { ANTHROPIC_NAMES, contextTokensOf, readTokens } from "../token-classes.ts";
import { toolEnd, toolStart } from "../tool-events.ts";

// llm/llm.go: the numbers Shelley writes for kinds of content.
const TEXT = 2;
const TOOL_USE = 5;
const TOOL_RESULT = 6;

/** What Shelley records as the agent's last message when a turn is cancelled (server/convo.go). */
const CANCELLED = "[Operation cancelled]";

const textOf = (data: Json): string =>
  contentText(
    listAt(data, "Content").filter((content) => content["Type"] === TEXT),
    "Text",
  );

const readTools = (data: Json): TurnSignal[] =>
  listAt(data, "Content").flatMap((content): TurnSignal[] => {
    if (content["Type"] === TOOL_USE)
      return [
        toolStart(textAt(content, "ID") ?? "", textAt(content, "ToolName"), objectAt(content, "ToolInput")),
      ];
    if (content["Type"] !== TOOL_RESULT) return [];
    const said = contentText(content["ToolResult"], "Text");
    return [toolEnd(textAt(content, "ToolUseID") ?? "", content["ToolError"] === true, said)];
  });

const readEnd = (type: string, data: Json, text: string): TurnSignal => {
  if (text === CANCELLED) return { type: "turn-end", reason: "interrupted", text: "" };
  if (type !== "error" && !textAt(data, "ErrorType")) return { type: "turn-end", reason: "completed", text };
  // Shelley has no field for a limit: the provider's status is in the message.
  const reason = /\b429\b|rate.limit/i.test(text) ? "rate-limit" : "error";
  return { type: "turn-end", reason, text: "", message: text };
};

/** Follows the messages of one conversation; each is sent once, again only when Shelley updates it. */
export const createShelleyTranslator = (meter = createMeter()) => {
  const seen = new Set<string>();
  let lastSequenceId = 0;

  const readUsage = (message: Json): TurnSignal[] => {
    const usage = parseObject(textAt(message, "usage_data") ?? "") ?? {};
    const tokens = readTokens(usage, ANTHROPIC_NAMES);
    const contextTokens = contextTokensOf(tokens);
    if (contextTokens === 0) return [];
    meter.spending.addReported(tokens, sumAt(usage, "cost_usd"));
    meter.setContext(contextTokens);
    return [meter.usage()];
  };

  const readMessage = (message: Json): TurnSignal[] => {
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

  const read = (frame: string): TurnSignal[] => {
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
