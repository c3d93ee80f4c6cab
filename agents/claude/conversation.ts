import { makeConversation } from "../make-conversation.ts";
import { asJson, asNumber, asText, type Json, sumAt } from "../json.ts";
import type { JsonLines, JsonRecord } from "../jsonl.ts";
import type { ContextState, Conversation, Message, Part, Source, Usage } from "../store.ts";
import { type ClaudeContext, findContext } from "./context.ts";
import { entriesOf, isMessageRecord, uuidOf } from "./entries.ts";

const usageOf = (message: Json): Usage | undefined => {
  const usage = asJson(message["usage"]);
  const sum = sumAt(usage, "input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens");
  // output_tokens is a placeholder in most lines: it is never taken for the truth.
  return sum === 0
    ? undefined
    : { inputTokens: sum, outputTokens: asNumber(usage["output_tokens"]) ?? 0, isOutputExact: false };
};

const isClearedResult = (parts: readonly Part[], cleared: ReadonlySet<string>): boolean =>
  parts.length > 0 && parts.every((part) => part.callId !== undefined && cleared.has(part.callId));

const stateOf = (
  record: JsonRecord,
  { index, context, isAgentFile }: { index: number; context: ClaudeContext; isAgentFile: boolean },
): ContextState => {
  const { value } = record;
  if (value["isSidechain"] === true && !isAgentFile) return "sidechain";
  if (value["isApiErrorMessage"] === true || asJson(value["message"])["model"] === "<synthetic>")
    return "not-sent";
  if (context.reached.has(uuidOf(record))) return "in";
  return index < context.cut ? "compacted" : "branch";
};

const titleOf = (records: readonly JsonRecord[]): string | undefined => {
  const named = records.findLast(({ value }) =>
    ["custom-title", "ai-title", "summary"].includes(String(value["type"])),
  )?.value;
  return asText(named?.["customTitle"]) ?? asText(named?.["aiTitle"]) ?? asText(named?.["summary"]);
};

const addFaults = (records: readonly JsonRecord[], faults: string[]): void => {
  const uuids = new Set(records.map((record) => asText(record.value["uuid"])));
  for (const { value, line } of records) {
    const parent = asText(value["parentUuid"]);
    if (parent !== undefined && !uuids.has(parent))
      faults.push(`line ${line} refers to a message that is not in the file (${parent})`);
  }
};

/** Assistant lines of one `message.id` are one message; every other line is its own. */
const collect = (
  records: readonly JsonRecord[],
  context: ClaudeContext,
  isAgentFile: boolean,
): Map<string, Message> => {
  const messages = new Map<string, Message>();
  const seen = new Set<string>();
  for (const [index, record] of records.entries()) {
    const [entry] = entriesOf(record);
    // A line written twice (glued records are) is one line.
    if (!entry || seen.has(uuidOf(record))) continue;
    seen.add(uuidOf(record));
    let state = stateOf(record, { index, context, isAgentFile });
    if (state === "in" && isClearedResult(entry.parts, context.cleared)) state = "cleared";
    const body = asJson(record.value["message"]);
    const known = messages.get(entry.messageId);
    const usage = entry.role === "assistant" ? usageOf(body) : undefined;
    if (known) {
      known.parts.push(...entry.parts);
      if (state === "in") known.context = "in";
      if (usage && usage.inputTokens > (known.usage?.inputTokens ?? 0)) known.usage = usage;
      continue;
    }
    messages.set(entry.messageId, {
      id: entry.messageId,
      role: entry.role,
      // Its own list: further lines of the message are added to it.
      parts: [...entry.parts],
      context: state,
      bonds: [],
      atMs: entry.atMs,
      model: asText(body["model"]),
      usage,
    });
  }
  return messages;
};

/** A transcript as Claude Code would load it. */
export const toConversation = (
  source: Pick<Source, "id" | "path" | "isSubAgent">,
  lines: JsonLines,
): Conversation => {
  const { records } = lines;
  const context = findContext(records, source.isSubAgent);
  const messages = [...collect(records, context, source.isSubAgent).values()];
  const faults = [...lines.faults];
  addFaults(records, faults);
  const first = records.find(({ value }) => isMessageRecord(value))?.value;
  const model = messages.findLast((message) => message.usage)?.model;
  const title = titleOf(records);
  const dir = asText(first?.["cwd"]);
  return makeConversation(source, { agent: "claude", messages, faults, title, dir, model });
};
