import { asJson, asList, asPlainText, asText, asTime, contentText, isJson, type Json } from "../json.ts";
import type { JsonRecord } from "../jsonl.ts";
import type { Entry, Part, Role } from "../store.ts";

/** A response item: one thing the model said, or was sent. */
export type Item = Json;

const outputText = (output: unknown): string => {
  const text = isJson(output) ? (output["text"] ?? output["content"] ?? output) : output;
  return Array.isArray(text) ? contentText(text) : asPlainText(text);
};

export const isCall = (type: string): boolean => type.endsWith("_call") || type === "function_call";
export const isOutput = (type: string): boolean =>
  type.endsWith("_output") || type === "tool_result" || type === "function_result";
/** Calls that the provider answers itself: they have no output item. */
export const isHosted = (type: string): boolean =>
  type === "web_search_call" || type === "image_generation_call";

const ITEM_TYPES = /^(message|reasoning|.*_call|.*_output|.*_result|compaction|context_compaction)$/;

/** The response item of a line: wrapped (since mid 2025), bare (before), or in the shape of first versions. */
export const itemOf = ({ value }: JsonRecord): Item | undefined => {
  const payload = value["payload"];
  if (isJson(payload)) return value["type"] === "response_item" ? payload : undefined;
  const type = asText(value["type"]);
  if (type !== undefined) return ITEM_TYPES.test(type) ? value : undefined;
  if (asText(value["role"]) === undefined) return undefined;
  return { ...value, type: "message", content: value["content"] ?? value["message"] };
};

export const typeOf = (item: Item): string => asText(item["type"]) ?? "";

export const roleOf = (item: Item): Role => {
  const type = typeOf(item);
  if (isOutput(type)) return "tool";
  if (type !== "message") return "assistant";
  const role = item["role"];
  return role === "assistant" ? "assistant" : role === "user" ? "user" : "system";
};

export const partOf = (item: Item): Part => {
  const type = typeOf(item);
  const callId = isHosted(type) ? undefined : asText(item["call_id"]);
  if (type === "message") {
    const isNotice = item["role"] === "developer" || item["role"] === "system" || isHarness(item);
    return { kind: isNotice ? "notice" : "text", text: contentText(item["content"]) };
  }
  if (type === "reasoning") return { kind: "thinking", text: contentText(item["summary"]) };
  if (isOutput(type))
    return {
      kind: "tool-result",
      text: outputText(item["output"] ?? item["result"] ?? item["tools"]),
      callId,
    };
  if (isCall(type)) {
    const input = item["arguments"] ?? item["input"] ?? item["action"];
    const tool =
      asText(item["name"]) ?? asText(asJson(item["function"])["name"]) ?? type.replace("_call", "");
    return { kind: "tool-call", text: asPlainText(input), tool, callId };
  }
  return { kind: "notice", text: "" };
};

/** What codex itself puts before the first prompt: true of the model's input, noise for people. */
export const isHarness = (item: Item): boolean =>
  roleOf(item) === "user" &&
  /^\s*<(environment_context|user_instructions|permissions|INSTRUCTIONS|turn_aborted)|^# AGENTS\.md/.test(
    contentText(item["content"]),
  );

export const timeOf = (record: JsonRecord): number | undefined =>
  asTime(record.value["timestamp"] ?? record.value["created_at"]);

const toEntry = (item: Item, messageId: string, atMs: number | undefined): Entry[] => {
  const role = roleOf(item);
  if (isHarness(item) || role === "system") return [];
  return [{ messageId, role, parts: [partOf(item)], atMs }];
};

/** What a line says; a checkpoint says its items again, and a summary that stands nowhere else. */
export const entriesOf = (record: JsonRecord): Entry[] => {
  const atMs = timeOf(record);
  const item = itemOf(record);
  if (item) return toEntry(item, `L${record.line}`, atMs);
  if (record.value["type"] !== "compacted") return [];
  const payload = asJson(record.value["payload"]);
  const items = asList(payload["replacement_history"]).filter(isJson);
  if (items.length > 0)
    return items.flatMap((inner, index) => toEntry(inner, `L${record.line}.${index}`, atMs));
  const content = asText(payload["message"]) ?? "";
  return toEntry({ type: "message", role: "user", content }, `L${record.line}.0`, atMs);
};
