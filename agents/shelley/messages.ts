import { ANTHROPIC_NAMES, readTokens, usageOfTokens } from "../token-classes.ts";
import { parseJson } from "../../core/parse-json.ts";
import {
  asJson,
  asList,
  asNumber,
  asPlainText,
  asText,
  asTime,
  contentText,
  isJson,
  type Json,
} from "../json.ts";
import { isToolMessage } from "../make-conversation.ts";
import type { Row } from "../sqlite.ts";
import type { ContextState, Message, Part, Role, Usage } from "../store.ts";

// llm/llm.go: the numbers Shelley writes for kinds of content.
const TEXT = 2;
const THINKING = 3;
const TOOL_USE = 5;
const TOOL_RESULT = 6;

const partOf = (content: Json): Part => {
  const type = asNumber(content["Type"]) ?? TEXT;
  const callId = asText(content["ToolUseID"]) || asText(content["ID"]) || undefined;
  if (type === THINKING) return { kind: "thinking", text: asText(content["Thinking"]) ?? "" };
  if (type === TOOL_USE)
    return {
      kind: "tool-call",
      text: asPlainText(content["ToolInput"]),
      tool: asText(content["ToolName"]) ?? "tool",
      callId,
    };
  if (type === TOOL_RESULT) {
    const text = contentText(content["ToolResult"], "Text");
    return { kind: "tool-result", text, isError: content["ToolError"] === true, callId };
  }
  if (type === TEXT) return { kind: "text", text: asText(content["Text"]) ?? "" };
  return { kind: "notice", text: asText(content["Text"]) ?? "" };
};

const usageOf = (row: Row): Usage | undefined =>
  usageOfTokens(readTokens(asJson(parseJson(asText(row["usage_data"]) ?? "")), ANTHROPIC_NAMES));

/** Rows that Shelley's own request leaves out (server/convo.go, partitionMessages). */
const NEVER_SENT = new Set(["gitinfo", "modelchange", "slug", "error", "warning"]);

const stateOf = (row: Row, generation: number): ContextState => {
  if (NEVER_SENT.has(String(row["type"]))) return "not-sent";
  if (Number(row["generation"] ?? generation) !== generation) return "compacted";
  return row["excluded_from_context"] ? "excluded" : "in";
};

const roleOf = (row: Row, parts: readonly Part[], data: Json): Role => {
  if (row["type"] === "system") return "system";
  if (isToolMessage(parts)) return "tool";
  return asNumber(data["Role"]) === 1 || row["type"] === "agent" ? "assistant" : "user";
};

/** One row of `messages`. A typed prompt and a tool result are both of type `user`: the content tells. */
export const messageOf = (row: Row, generation: number): Message => {
  const data = asJson(parseJson(asText(row["llm_data"]) || asText(row["user_data"]) || ""));
  const contents = asList(data["Content"]).filter(isJson).map(partOf);
  // A system row goes to the system prompt: it is carried, and never counts as the first message.
  const parts =
    row["type"] === "system" ? contents.map((part): Part => ({ ...part, kind: "notice" })) : contents;
  const text = asText(row["created_at"]);
  const atMs = asTime(text && !/[zZ]|[+-]\d\d:?\d\d$/.test(text) ? `${text.replace(" ", "T")}Z` : text);
  return {
    id: String(row["message_id"]),
    role: roleOf(row, parts, data),
    parts,
    context: stateOf(row, generation),
    bonds: [],
    atMs,
    model: asText(row["model_name"]),
    usage: usageOf(row),
  };
};
