import { readTokens, type TokenNames, usageOfTokens } from "../token-classes.ts";
import { asJson, asList, asPlainText, asText, asTime, contentText, isJson, type Json } from "../json.ts";
import type { JsonRecord } from "../jsonl.ts";
import type { Entry, Message, Part, Role, Usage } from "../store.ts";

const blockPart = (block: Json): Part => {
  if (block["type"] === "text") return { kind: "text", text: asText(block["text"]) ?? "" };
  if (block["type"] === "thinking") return { kind: "thinking", text: asText(block["thinking"]) ?? "" };
  if (block["type"] === "toolCall")
    return {
      kind: "tool-call",
      text: asPlainText(block["arguments"]),
      tool: asText(block["name"]) ?? "tool",
      callId: asText(block["id"]),
    };
  return { kind: "image", text: "" };
};

const blocksOf = (content: unknown): Part[] =>
  typeof content === "string"
    ? [{ kind: "text", text: content }]
    : asList(content).filter(isJson).map(blockPart);

const partsOf = (message: Json): Part[] => {
  if (message["role"] === "toolResult")
    return [
      {
        kind: "tool-result",
        text: contentText(message["content"]),
        isError: message["isError"] === true,
        callId: asText(message["toolCallId"]),
      },
    ];
  if (message["role"] === "bashExecution")
    return [
      { kind: "text", text: `$ ${asText(message["command"]) ?? ""}\n${asText(message["output"]) ?? ""}` },
    ];
  return blocksOf(message["content"]);
};

export const PI_NAMES: TokenNames = ["input", "cacheRead", "cacheWrite", "output"];
const usageOf = (message: Json): Usage | undefined =>
  usageOfTokens(readTokens(asJson(message["usage"]), PI_NAMES));

/** Files before version 2 have no ids: the line counts. */
export const idOf = ({ value, line }: JsonRecord): string => asText(value["id"]) ?? `L${line}`;

const ROLES: Record<string, Role> = { assistant: "assistant", toolResult: "tool" };

/** Errored and aborted answers are kept in the file and left out of the request. */
const isDropped = (message: Json): boolean =>
  message["stopReason"] === "aborted" ||
  message["stopReason"] === "error" ||
  message["excludeFromContext"] === true;

const bodyOf = (value: Json): Json | undefined => {
  if (value["type"] === "message") {
    const message = asJson(value["message"]);
    // Since 0.86 the prompt and the tools are entries, too: pi's own, and nothing that was said.
    return message["role"] === "system" ? undefined : message;
  }
  if (value["type"] === "custom_message") return { role: "user", content: value["content"] };
  if (value["type"] === "compaction" || value["type"] === "branch_summary")
    return { role: "user", content: asText(value["summary"]) ?? "" };
  return undefined;
};

/** The message of an entry, as if it were sent; its place in the tree decides whether it is. */
export const messageOf = (record: JsonRecord): Message | undefined => {
  const body = bodyOf(record.value);
  if (!body) return undefined;
  return {
    id: idOf(record),
    role: ROLES[String(body["role"])] ?? "user",
    parts: partsOf(body),
    context: isDropped(body) ? "not-sent" : "in",
    bonds: [],
    isBoundary: record.value["type"] === "compaction",
    atMs: asTime(record.value["timestamp"]),
    model: asText(body["model"]),
    usage: isDropped(body) ? undefined : usageOf(body),
  };
};

/** The entry with another content, as a `context_edit` has pi send it. */
export const withContent = ({ value, ...record }: JsonRecord, content: unknown): JsonRecord => ({
  ...record,
  value:
    value["type"] === "message"
      ? { ...value, message: { ...asJson(value["message"]), content } }
      : { ...value, content },
});

export const entriesOf = (record: JsonRecord): Entry[] => {
  const message = messageOf(record);
  if (!message) return [];
  const { id, role, parts, atMs } = message;
  return [{ messageId: id, role, parts, atMs }];
};
