import { asJson, asList, asPlainText, asText, asTime, contentText, isJson, type Json } from "../json.ts";
import type { JsonRecord } from "../jsonl.ts";
import { isToolMessage } from "../make-conversation.ts";
import type { Entry, Part } from "../store.ts";

const blockPart = (block: Json): Part => {
  const callId = asText(block["tool_use_id"]) ?? asText(block["id"]);
  const { content } = block;
  switch (block["type"]) {
    case "text":
      return { kind: "text", text: asText(block["text"]) ?? "" };
    case "thinking":
      return { kind: "thinking", text: asText(block["thinking"]) ?? "" };
    case "redacted_thinking":
      return { kind: "thinking", text: "" };
    case "tool_use":
    case "server_tool_use":
      return {
        kind: "tool-call",
        text: asPlainText(block["input"]),
        tool: asText(block["name"]) ?? "tool",
        callId,
      };
    case "image":
    case "document":
      return { kind: "image", text: "" };
    default:
      if (String(block["type"]).endsWith("tool_result"))
        return {
          kind: "tool-result",
          // An image in a result is base64: words of no use to anyone who searches.
          text: Array.isArray(content) ? contentText(content) : asPlainText(content),
          isError: block["is_error"] === true,
          callId,
        };
      return { kind: "notice", text: asPlainText(block["text"]) };
  }
};

export const partsOf = (message: Json): Part[] => {
  const content = message["content"];
  if (typeof content === "string") return [{ kind: "text", text: content }];
  return asList(content).filter(isJson).map(blockPart);
};

/** Records that carry a message of the conversation: the usual two, and shapes of older versions. */
export const isMessageRecord = (value: Json): boolean =>
  (value["type"] === "user" || value["type"] === "assistant") && isJson(value["message"]);

const looseParts = (value: Json): Part[] | undefined => {
  const tool = asText(value["name"]) ?? "tool";
  if (value["type"] === "tool_use") return [{ kind: "tool-call", text: asPlainText(value["input"]), tool }];
  if (value["type"] === "tool_result") return [{ kind: "tool-result", text: asPlainText(value["output"]) }];
  return undefined;
};

export const uuidOf = (record: JsonRecord): string => asText(record.value["uuid"]) ?? `L${record.line}`;

/** A split message shares its `message.id` over lines; anything else is known by its line's uuid. */
export const messageIdOf = (record: JsonRecord): string =>
  (record.value["type"] === "assistant" ? asText(asJson(record.value["message"])["id"]) : undefined) ??
  uuidOf(record);

const known = new WeakMap<JsonRecord, Entry[]>();

/**
 * What a line says, if it belongs to the conversation: for reading, and for the search index. The index asks
 * for each line twice, for its text and for its place in the context.
 */
export const entriesOf = (record: JsonRecord): Entry[] => {
  const before = known.get(record);
  if (before) return before;
  const entries = readEntries(record);
  known.set(record, entries);
  return entries;
};

const readEntries = (record: JsonRecord): Entry[] => {
  const { value } = record;
  const parts = isMessageRecord(value) ? partsOf(asJson(value["message"])) : looseParts(value);
  if (!parts) return [];
  const isAnswer = value["type"] === "assistant" || value["type"] === "tool_use";
  const role = isToolMessage(parts) ? "tool" : isAnswer ? "assistant" : "user";
  return [{ messageId: messageIdOf(record), role, parts, atMs: asTime(value["timestamp"]) }];
};
