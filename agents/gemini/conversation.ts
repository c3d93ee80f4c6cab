import { findWindow } from "../context-window.ts";
import { asJson, asList, asNumber, asPlainText, asText, asTime, isJson, type Json } from "../loose-json.ts";
import type { JsonRecord } from "../jsonl.ts";
import type { ContextState, Conversation, Entry, Message, Part, Source, Usage } from "../store.ts";

const contentText = (content: unknown): string =>
  typeof content === "string"
    ? content
    : asList(content)
        .map((piece) => (typeof piece === "string" ? piece : (asText(asJson(piece)["text"]) ?? "")))
        .join("\n");

const toolParts = (call: Json): Part[] => {
  const callId = asText(call["id"]);
  const id = callId === undefined ? {} : { callId };
  const tool = asText(call["name"]) ?? "tool";
  const parts: Part[] = [{ kind: "tool-call", text: asPlainText(call["args"]), tool, ...id }];
  const result = asPlainText(call["result"]);
  if (result !== "" || call["status"] !== undefined)
    parts.push({ kind: "tool-result", text: result, isError: call["status"] === "error", ...id });
  return parts;
};

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
  ];
};

const kindOf = (value: Json): string => asText(value["type"]) ?? asText(value["role"]) ?? "";

/** Records of the conversation proper; metadata, checkpoints and rewinds are not. */
export const isMessage = (value: Json): boolean =>
  ["user", "gemini", "model", "info", "error", "warning"].includes(kindOf(value));

const usageOf = (value: Json): Usage | undefined => {
  const tokens = asJson(value["tokens"]);
  const total = asNumber(tokens["total"]) ?? 0;
  const outputTokens = (asNumber(tokens["output"]) ?? 0) + (asNumber(tokens["thoughts"]) ?? 0);
  return total === 0 ? undefined : { inputTokens: total - outputTokens, outputTokens, isOutputExact: true };
};

export const idOf = (value: Json, index: number): string => asText(value["id"]) ?? `L${index + 1}`;

export const toMessage = (value: Json, id: string): Message => {
  const kind = kindOf(value);
  const isSent = kind === "user" || kind === "gemini" || kind === "model";
  const atMs = asTime(value["timestamp"] ?? value["ts"]);
  const model = asText(value["model"]);
  const usage = usageOf(value);
  return {
    id,
    role: kind === "user" ? "user" : isSent ? "assistant" : "system",
    parts: isSent ? partsOf(value) : [{ kind: "notice", text: contentText(value["content"]) }],
    context: isSent ? "in" : "not-sent",
    bonds: [],
    ...(atMs === undefined ? {} : { atMs }),
    ...(model === undefined ? {} : { model }),
    ...(usage ? { usage } : {}),
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
  return context === "not-sent"
    ? []
    : [{ messageId: id, role, parts, ...(atMs === undefined ? {} : { atMs }) }];
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

export const toConversation = (
  source: Pick<Source, "id" | "path" | "isSubAgent">,
  state: GeminiState,
  faults: readonly string[],
): Conversation => {
  const messages = [...state.messages.values()].map(({ message }) => message);
  const model =
    messages.findLast((message) => message.model)?.model ?? asText(asJson(state.meta["meta"])["model"]);
  const windowTokens = findWindow(model);
  const resumeId = asText(state.meta["sessionId"]);
  const title =
    asText(state.meta["summary"]) ??
    messages
      .find((message) => message.role === "user")
      ?.parts[0]?.text.split("\n")[0]
      ?.slice(0, 80);
  return {
    agent: "gemini",
    id: source.id,
    path: source.path,
    messages,
    faults: [...faults],
    isSubAgent: source.isSubAgent || state.meta["kind"] === "subagent",
    ...(resumeId === undefined ? {} : { resumeId }),
    ...(title === undefined ? {} : { title }),
    ...(model === undefined ? {} : { model }),
    ...(windowTokens === undefined ? {} : { windowTokens }),
  };
};
