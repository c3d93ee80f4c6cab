import { makeConversation, titleOf } from "../make-conversation.ts";
import { asJson, asNumber, asText, isJson, type Json } from "../json.ts";
import type { JsonLines, JsonRecord } from "../jsonl.ts";
import type { Conversation, Message, Source, Usage } from "../store.ts";
import { isHarness, isHosted, type Item, itemOf, partOf, roleOf, timeOf, typeOf } from "./entries.ts";

/** A message and the response item it was read from. */
export type CodexMessage = { message: Message; item: Item };

const toMessage = (item: Item, id: string, atMs: number | undefined): CodexMessage => {
  const callId = asText(item["call_id"]);
  const message: Message = {
    id,
    role: roleOf(item),
    parts: [partOf(item)],
    context: "in",
    bonds: callId === undefined || isHosted(typeOf(item)) ? [] : [`call:${callId}`],
    atMs,
  };
  return { message, item };
};

/** Reasoning belongs to the item it led to: the provider refuses one without the other. */
const bondReasoning = (history: readonly CodexMessage[]): void => {
  for (const [index, { message, item }] of history.entries()) {
    if (typeOf(item) !== "reasoning") continue;
    const next = history.slice(index + 1).find((other) => typeOf(other.item) !== "reasoning");
    if (!next || next.message.role !== "assistant") continue;
    const bond = `reasoning:${next.message.id}`;
    message.bonds = [...message.bonds, bond];
    if (!next.message.bonds.includes(bond)) next.message.bonds = [...next.message.bonds, bond];
  }
};

const usageOf = (payload: Json): Usage | undefined => {
  const last = asJson(asJson(payload["info"])["last_token_usage"]);
  const inputTokens = asNumber(last["input_tokens"]) ?? 0;
  // Cached tokens lie inside input_tokens here.
  return inputTokens === 0
    ? undefined
    : { inputTokens, outputTokens: asNumber(last["output_tokens"]) ?? 0, isOutputExact: true };
};

export type Replay = {
  all: CodexMessage[];
  /** what a resumed thread starts from, in order */
  history: CodexMessage[];
  windowTokens: number | undefined;
  model: string | undefined;
};

const rollBack = (history: CodexMessage[], turns: number): CodexMessage[] => {
  const prompts = history.flatMap(({ message, item }, index) =>
    message.role === "user" && !isHarness(item) ? [index] : [],
  );
  const from = prompts.at(-turns) ?? prompts[0] ?? history.length;
  for (const { message } of history.slice(from)) message.context = "branch";
  return history.slice(0, from);
};

const compact = (replay: Replay, record: JsonRecord): void => {
  const payload = asJson(record.value["payload"]);
  const replacement = payload["replacement_history"];
  // Older versions wrote a summary only: the prompts stay, everything else goes.
  const keep = Array.isArray(replacement)
    ? []
    : replay.history.filter(({ message }) => message.role === "user");
  const summary = { type: "message", role: "user", content: asText(payload["message"]) ?? "" };
  const items = Array.isArray(replacement) ? replacement.filter(isJson) : [summary];
  for (const { message } of replay.history)
    if (!keep.some((kept) => kept.message === message)) message.context = "compacted";
  const fresh = items.map((item, index) => toMessage(item, `L${record.line}.${index}`, timeOf(record)));
  // An item carried over brings the usage of its call along.
  const usages = new Map(
    replay.history.flatMap(({ item, message }) =>
      message.usage ? [[JSON.stringify(item), message.usage] as const] : [],
    ),
  );
  for (const { item, message } of fresh) {
    const usage = usages.get(JSON.stringify(item));
    if (usage) message.usage = usage;
  }
  replay.all.push(...fresh);
  replay.history = [...keep, ...fresh];
};

const applyEvent = (replay: Replay, payload: Json): void => {
  if (payload["type"] === "token_count") {
    const usage = usageOf(payload);
    const last = replay.history.findLast(({ message }) => message.role === "assistant");
    if (usage && last) last.message.usage = usage;
    // A window of nothing is one that codex does not know.
    replay.windowTokens = asNumber(asJson(payload["info"])["model_context_window"]) || replay.windowTokens;
  }
  if (payload["type"] === "thread_rolled_back")
    replay.history = rollBack(replay.history, asNumber(payload["num_turns"]) ?? 1);
};

/** Rebuilds the history as a resumed thread does: the newest compaction is the base, the rest follows. */
export const replayRollout = (records: readonly JsonRecord[]): Replay => {
  const replay: Replay = { all: [], history: [], windowTokens: undefined, model: undefined };
  for (const record of records) {
    const payload = asJson(record.value["payload"]);
    const item = itemOf(record);
    if (item) {
      const entry = toMessage(item, `L${record.line}`, timeOf(record));
      replay.all.push(entry);
      replay.history.push(entry);
    } else if (record.value["type"] === "compacted") compact(replay, record);
    else if (record.value["type"] === "event_msg") applyEvent(replay, payload);
    else if (record.value["type"] === "turn_context") replay.model = asText(payload["model"]) ?? replay.model;
  }
  bondReasoning(replay.history);
  return replay;
};

/** A rollout as codex would resume it. */
export const toConversation = (
  source: Pick<Source, "id" | "path" | "isSubAgent">,
  lines: JsonLines,
): Conversation => {
  const { all, windowTokens, model } = replayRollout(lines.records);
  const meta = asJson(lines.records.find(({ value }) => value["type"] === "session_meta")?.value["payload"]);
  const prompt = all.find(({ message, item }) => message.role === "user" && !isHarness(item));
  return makeConversation(source, {
    agent: "codex",
    messages: all.map(({ message }) => message),
    faults: lines.faults,
    isSubAgent: source.isSubAgent || Object.hasOwn(asJson(meta["source"]), "subagent"),
    title: titleOf(prompt?.message.parts[0]?.text),
    dir: asText(meta["cwd"]),
    model,
    windowTokens,
  });
};
