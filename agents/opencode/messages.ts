import { type TokenClasses, usageOfTokens } from "../token-classes.ts";
import { asJson, asPlainText, asText, asTime, type Json, objectAt, sumAt } from "../json.ts";
import type { Message, Part, Usage } from "../store.ts";

/** A message as both layouts keep it: its own data, and its parts in order. */
export type OpencodeMessage = { id: string; data: Json; parts: { id: string; data: Json }[] };

/** What opencode sends instead of an output that it, or somebody else, has marked as compacted. */
const CLEARED = "[Old tool result content cleared]";

const toolParts = (data: Json): Part[] => {
  const state = asJson(data["state"]);
  const callId = asText(data["callID"]) ?? "";
  const tool = asText(data["tool"]) ?? "tool";
  const call: Part = { kind: "tool-call", text: asPlainText(state["input"]), tool, callId };
  const isError = state["status"] === "error";
  const isCleared = asJson(state["time"])["compacted"] !== undefined;
  const output = asText(isError ? state["error"] : state["output"]) ?? "";
  // A call that never finished is sent with a stub as its result.
  return [call, { kind: "tool-result", text: isCleared ? CLEARED : output, isError, callId }];
};

const partsOf = ({ data }: { data: Json }, role: string): Part[] => {
  const text = asText(data["text"]) ?? "";
  if (data["type"] === "text")
    return [{ kind: data["ignored"] === true && role === "user" ? "notice" : "text", text }];
  if (data["type"] === "reasoning") return [{ kind: "thinking", text }];
  if (data["type"] === "tool") return toolParts(data);
  if (data["type"] === "file") return [{ kind: "image", text: asText(data["filename"]) ?? "" }];
  if (data["type"] === "subtask") return [{ kind: "text", text: asText(data["prompt"]) ?? "" }];
  return [];
};

export const opencodeTokens = (tokens: Json): TokenClasses => ({
  input: sumAt(tokens, "input"),
  cacheRead: sumAt(objectAt(tokens, "cache"), "read"),
  cacheWrite: sumAt(objectAt(tokens, "cache"), "write"),
  output: sumAt(tokens, "output", "reasoning"),
  reasoning: sumAt(tokens, "reasoning"),
});

const usageOf = (data: Json): Usage | undefined => usageOfTokens(opencodeTokens(asJson(data["tokens"])));

const toMessage = ({ id, data, parts }: OpencodeMessage): Message => {
  const role = data["role"] === "assistant" ? "assistant" : "user";
  const content = parts.flatMap((part) => partsOf(part, role));
  return {
    id,
    role,
    parts: content,
    context: content.length === 0 ? "not-sent" : "in",
    bonds: [],
    atMs: asTime(asJson(data["time"])["created"]),
    model: asText(data["modelID"]) ?? asText(asJson(data["model"])["modelID"]),
    usage: role === "assistant" ? usageOf(data) : undefined,
  };
};

const compactionAt = (messages: readonly OpencodeMessage[]): number =>
  messages.findLastIndex(
    ({ id, data, parts }) =>
      parts.some((part) => part.data["type"] === "compaction") &&
      data["role"] !== "assistant" &&
      // A compaction counts once its summary has been written.
      messages.some((other) => other.data["parentID"] === id && other.data["summary"] === true),
  );

/** The messages opencode builds a request from: everything since the last finished compaction, and its kept tail. */
export const toMessages = (stored: readonly OpencodeMessage[], revertId: string | undefined): Message[] => {
  const messages = stored.map(toMessage);
  const cut = compactionAt(stored);
  const compaction = stored[cut]?.parts.find((part) => part.data["type"] === "compaction");
  const tail = stored.findIndex(({ id }) => id === asText(compaction?.data["tail_start_id"]));
  const from = tail === -1 ? cut : Math.min(tail, cut);
  const revert = revertId === undefined ? -1 : stored.findIndex(({ id }) => id === revertId);
  for (const [index, message] of messages.entries()) {
    if (message.context !== "in") continue;
    if (cut > 0 && index < from) message.context = "compacted";
    else if (revert !== -1 && index >= revert) message.context = "branch";
  }
  return messages;
};
