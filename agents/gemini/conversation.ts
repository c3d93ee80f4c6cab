import { isToolMessage, makeConversation, titleOf } from "../make-conversation.ts";
import {
  asJson,
  asList,
  asPlainText,
  asText,
  asTime,
  contentText,
  isJson,
  type Json,
  sumAt,
} from "../json.ts";
import type { JsonRecord } from "../jsonl.ts";
import type { ContextState, Conversation, Entry, Message, Part, Source, Usage } from "../store.ts";

const toolParts = (call: Json): Part[] => {
  const callId = asText(call["id"]);
  const tool = asText(call["name"]) ?? "tool";
  const parts: Part[] = [{ kind: "tool-call", text: asPlainText(call["args"]), tool, callId }];
  const result = asPlainText(call["result"]);
  if (result !== "" || call["status"] !== undefined)
    parts.push({ kind: "tool-result", text: result, isError: call["status"] === "error", callId });
  return parts;
};

/**
 * Results as newer versions send them: in a record of the user's after the call's, which holds them as well.
 * The text is that of the call's own record, so that one of the two can be left out.
 */
const responseParts = (content: unknown): Part[] =>
  asList(content)
    .map((piece) => asJson(asJson(piece)["functionResponse"]))
    .filter((response) => response["response"] !== undefined)
    .map((response) => {
      const text = asPlainText([{ functionResponse: response }]);
      return { kind: "tool-result", text, callId: asText(response["id"]) };
    });

const partsOf = (value: Json): Part[] => {
  const thoughts = asList(value["thoughts"])
    .filter(isJson)
    .map((thought): Part => ({
      kind: "thinking",
      text: `${asText(thought["subject"]) ?? ""}\n${asText(thought["description"]) ?? ""}`,
    }));
  const text = contentText(value["content"] ?? value["parts"]);
  return [
    ...thoughts,
    ...(text === "" ? [] : [{ kind: "text" as const, text }]),
    ...asList(value["toolCalls"]).filter(isJson).flatMap(toolParts),
    ...responseParts(value["content"] ?? value["parts"]),
  ];
};

const kindOf = (value: Json): string => asText(value["type"]) ?? asText(value["role"]) ?? "";

/** Records of the conversation proper; metadata, checkpoints and rewinds are not. */
export const isMessage = (value: Json): boolean =>
  ["user", "gemini", "model", "info", "error", "warning"].includes(kindOf(value));

const usageOf = (value: Json): Usage | undefined => {
  const tokens = asJson(value["tokens"]);
  const total = sumAt(tokens, "total");
  const outputTokens = sumAt(tokens, "output", "thoughts");
  return total === 0 ? undefined : { inputTokens: total - outputTokens, outputTokens, isOutputExact: true };
};

export const idOf = (value: Json, index: number): string => asText(value["id"]) ?? `L${index + 1}`;

export const toMessage = (value: Json, id: string): Message => {
  const kind = kindOf(value);
  const isSent = kind === "user" || kind === "gemini" || kind === "model";
  const parts: Part[] = isSent ? partsOf(value) : [{ kind: "notice", text: contentText(value["content"]) }];
  return {
    id,
    role: kind === "user" ? (isToolMessage(parts) ? "tool" : "user") : isSent ? "assistant" : "system",
    parts,
    context: isSent ? "in" : "not-sent",
    bonds: [],
    atMs: asTime(value["timestamp"] ?? value["ts"]),
    model: asText(value["model"]),
    usage: usageOf(value),
  };
};

/** What a line of the newer format says; a checkpoint says its messages again. */
export const entriesOf = ({ value, line }: JsonRecord): Entry[] => {
  const checkpoint = asJson(value["$set"])["messages"];
  if (Array.isArray(checkpoint))
    return checkpoint.filter(isJson).flatMap((inner, index) => toEntry(inner, index));
  return toEntry(value, line - 1);
};

const toEntry = (value: Json, index: number): Entry[] => {
  if (!isMessage(value)) return [];
  const { id, role, parts, atMs, context } = toMessage(value, idOf(value, index));
  return context === "not-sent" ? [] : [{ messageId: id, role, parts, atMs }];
};

export type GeminiState = {
  /** by id, in the order of sending; what was rewound or left out of a checkpoint stays, marked */
  messages: Map<string, { message: Message; value: Json }>;
  meta: Json;
};

const leaveOut = (state: GeminiState, ids: Iterable<string>, why: ContextState): void => {
  for (const id of ids) {
    const message = state.messages.get(id)?.message;
    if (message && message.context === "in") message.context = why;
  }
};

const put = (state: GeminiState, value: Json, index: number): void => {
  const id = idOf(value, index);
  // A message told again moves to its new place: a checkpoint decides the order.
  state.messages.delete(id);
  state.messages.set(id, { message: toMessage(value, id), value });
};

const apply = (state: GeminiState, value: Json, index: number): void => {
  const set = asJson(value["$set"]);
  const rewind = asText(value["$rewindTo"]);
  if (rewind !== undefined) {
    const ids = [...state.messages.keys()];
    const from = ids.indexOf(rewind);
    if (from !== -1) leaveOut(state, ids.slice(from), "branch");
  } else if (Array.isArray(set["messages"])) {
    leaveOut(state, state.messages.keys(), "excluded");
    for (const [at, inner] of set["messages"].filter(isJson).entries()) put(state, inner, at);
  } else if (isMessage(value)) {
    const known = state.messages.get(idOf(value, index));
    if (known) {
      const message = toMessage(value, known.message.id);
      state.messages.set(known.message.id, { message, value });
    } else put(state, value, index);
  } else state.meta = { ...state.meta, ...value, ...set };
};

/** Replays records as Gemini CLI does when it resumes a session. */
export const replay = (values: readonly { value: Json; index: number }[]): GeminiState => {
  const state: GeminiState = { messages: new Map(), meta: {} };
  for (const { value, index } of values) apply(state, value, index);
  return state;
};

/** The records of a legacy document: one object with its messages inside. */
export const documentValues = (document: Json): { value: Json; index: number }[] => {
  const messages = asList(document["messages"] ?? document["history"]).filter(isJson);
  const { messages: _, history: __, ...meta } = document;
  return [{ value: meta, index: 0 }, ...messages.map((value, index) => ({ value, index }))];
};

/** A result that has a record of its own is not told a second time by the record of its call. */
const withoutCopies = (messages: readonly Message[]): Message[] => {
  const isResult = ({ kind }: Part): boolean => kind === "tool-result";
  const own = new Set(
    messages
      .filter(({ role, context }) => role === "tool" && context === "in")
      .flatMap(({ parts }) => parts.filter(isResult).map(({ callId }) => callId)),
  );
  return messages.map((message) =>
    message.role === "assistant"
      ? { ...message, parts: message.parts.filter((part) => !isResult(part) || !own.has(part.callId)) }
      : message,
  );
};

const SESSION_CONTEXT = "<session_context>";

export const toConversation = (
  source: Pick<Source, "id" | "path" | "isSubAgent">,
  state: GeminiState,
  faults: readonly string[],
): Conversation => {
  const messages = withoutCopies([...state.messages.values()].map(({ message }) => message));
  const model =
    messages.findLast((message) => message.model)?.model ?? asText(asJson(state.meta["meta"])["model"]);
  const resumeId = asText(state.meta["sessionId"]);
  const prompt = messages.find(
    ({ role, parts }) => role === "user" && parts[0]?.text.startsWith(SESSION_CONTEXT) !== true,
  );
  const title = asText(state.meta["summary"]) ?? titleOf(prompt?.parts[0]?.text);
  const isSubAgent = source.isSubAgent || state.meta["kind"] === "subagent";
  return makeConversation(source, { agent: "gemini", messages, faults, isSubAgent, resumeId, title, model });
};
