import type { AgentEndReason } from "../driver.ts";
import type { TurnEnd, TurnSignal } from "../event-stream.ts";
import { type Json, listAt, numberAt, objectAt, parseObject, sumAt, textAt } from "../json.ts";
import { createMeter } from "../meter.ts";
import { contextTokensOf } from "../token-classes.ts";
import { toolEnd, toolStart } from "../tool-events.ts";
import { opencodeTokens } from "./messages.ts";

/** What one event of opencode's server means. */
export type OpencodeSignal =
  | TurnSignal
  | { type: "answering"; provider: string; model: string }
  /** a tool call that is about to begin */
  | { type: "call"; id: string }
  | { type: "retry"; message: string; nextMs: number }
  | { type: "permission"; id: string }
  /** `count`: how many are asked at once */
  | { type: "question"; id: string; count: number };

/** Events that say nothing that a supervisor acts on: of what is around a session, and the rest of its own in 1.18.33. */
const QUIET =
  /^(?:(?:catalog|command|file|global|installation|integration|lsp|mcp|models-dev|plugin|project|pty|reference|server|todo|tui|vcs|workspace|worktree|session\.next)\.|session\.(?:compacted|created|deleted|diff|idle|updated)$|message\.(?:removed|part\.removed|part\.delta)$|(?:permission|question)\.(?:rejected|replied)$)/;

const textOfError = (error: Json): string =>
  textAt(objectAt(error, "data"), "message") ?? textAt(error, "name") ?? "unknown error";

/** Stopped between two calls, opencode goes idle without an error: its last message then asked for tools, or is not finished. */
const finishReason = (finish: string | undefined): AgentEndReason => {
  if (finish === undefined || finish === "tool-calls") return "interrupted";
  return finish === "length" ? "limit" : "completed";
};

/** Follows the events of one session (`sessionId`) and of the sub-agents' sessions beside it. */
export const createOpencodeTranslator = (sessionId: string, meter = createMeter()) => {
  /** the pieces of the last message, by their ids */
  let said = { message: "", pieces: new Map<string, string>() };
  const startedTools = new Set<string>();
  /** the user's, and summaries of a context that was compacted */
  const notSaid = new Set<string>();
  let failure: Omit<TurnEnd, "type"> | undefined;
  let finish: string | undefined;
  let isBusy = false;

  const readTool = (part: Json): OpencodeSignal[] => {
    const id = textAt(part, "callID") ?? "";
    const state = objectAt(part, "state");
    const status = textAt(state, "status") ?? "";
    if (status === "pending") return [{ type: "call", id }];
    const begin = startedTools.has(id) ? [] : [toolStart(id, textAt(part, "tool"), objectAt(state, "input"))];
    startedTools.add(id);
    if (status !== "completed" && status !== "error") return begin;
    const hasFailed = status === "error" || sumAt(objectAt(state, "metadata"), "exit") !== 0;
    return [...begin, toolEnd(id, hasFailed, textAt(state, "error") ?? textAt(state, "output"))];
  };

  const readText = (part: Json): OpencodeSignal[] => {
    const message = textAt(part, "messageID") ?? "";
    const text = textAt(part, "text") ?? "";
    // The user's own message comes back as an event, too; an answer is whole when it has an end.
    if (notSaid.has(message) || numberAt(objectAt(part, "time"), "end") === undefined || text === "")
      return [];
    if (said.message !== message) said = { message, pieces: new Map() };
    said.pieces.set(textAt(part, "id") ?? "", text);
    return [{ type: "text", text }];
  };

  const readPart = (part: Json): OpencodeSignal[] => {
    const isMain = part["sessionID"] === sessionId;
    switch (part["type"]) {
      case "tool":
        return readTool(part);
      case "text":
        return isMain ? readText(part) : [];
      case "step-finish": {
        const tokens = opencodeTokens(objectAt(part, "tokens"));
        const contextTokens = contextTokensOf(tokens);
        const call = isMain ? tokens : { ...tokens, subAgents: contextTokens };
        meter.spending.addReported(call, sumAt(part, "cost"));
        if (!isMain) return [];
        meter.setContext(contextTokens);
        return [meter.usage()];
      }
      default:
        return [];
    }
  };

  const readMessage = (info: Json): OpencodeSignal[] => {
    if (info["role"] === "user" || info["summary"] === true) notSaid.add(textAt(info, "id") ?? "");
    const provider = textAt(info, "providerID");
    const model = textAt(info, "modelID");
    if (info["role"] !== "assistant" || info["sessionID"] !== sessionId || !provider || !model) return [];
    finish = textAt(info, "finish");
    return [{ type: "answering", provider, model }];
  };

  const readIdle = (): OpencodeSignal[] => {
    // Said twice after a failure: only the first one ends a turn that had begun.
    if (!isBusy) return [];
    isBusy = false;
    const text = [...said.pieces.values()].join("\n");
    const end = failure ?? { reason: finishReason(finish) };
    failure = undefined;
    said.pieces.clear();
    return [{ type: "turn-end", text, ...end }];
  };

  const readStatus = (status: Json): OpencodeSignal[] => {
    if (status["type"] === "idle") return readIdle();
    isBusy = true;
    if (status["type"] !== "retry") return [];
    return [
      {
        type: "retry",
        message: textAt(status, "message") ?? "the model's API failed",
        nextMs: numberAt(status, "next") ?? 0,
      },
    ];
  };

  const readError = (error: Json) => {
    const message = textOfError(error);
    if (error["name"] === "MessageAbortedError") failure = { reason: "interrupted" };
    else if (numberAt(objectAt(error, "data"), "statusCode") === 429)
      failure = { reason: "rate-limit", message };
    else failure = { reason: "error", message };
  };

  return (text: string): OpencodeSignal[] => {
    const event = parseObject(text);
    if (!event) return [];
    const properties = objectAt(event, "properties");
    const isMain = properties["sessionID"] === sessionId;
    switch (event["type"]) {
      case "message.part.updated":
        return readPart(objectAt(properties, "part"));
      case "message.updated":
        return readMessage(objectAt(properties, "info"));
      case "session.status":
        return isMain ? readStatus(objectAt(properties, "status")) : [];
      case "session.error":
        if (isMain) readError(objectAt(properties, "error"));
        return [];
      case "permission.asked":
        return [{ type: "permission", id: textAt(properties, "id") ?? "" }];
      case "question.asked": {
        const count = listAt(properties, "questions").length;
        return [{ type: "question", id: textAt(properties, "id") ?? "", count }];
      }
      default: {
        const kind = textAt(event, "type") ?? "no type";
        return QUIET.test(kind) ? [] : [{ type: "unknown", kind, line: text }];
      }
    }
  };
};
