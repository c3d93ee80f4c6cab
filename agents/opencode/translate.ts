import { opencodeTokens } from "./tokens.ts";
import { contextTokensOf } from "../token-classes.ts";
import type { AgentEndReason, AgentEvent } from "../driver.ts";
import { type Json, listAt, numberAt, objectAt, parseObject, textAt } from "../json.ts";
import { createSpending, type Spending } from "../spending.ts";
import { summarizeToolInput, summarizeToolProblem } from "../tool-summary.ts";

/** What one event of opencode's server means. */
export type OpencodeSignal =
  | Exclude<AgentEvent, { type: "ended" | "usage" | "model" | "activity" }>
  | ({ type: "figures"; contextTokens: number } & Spending)
  | { type: "model"; provider: string; model: string }
  | { type: "call"; id: string }
  | { type: "busy" }
  | { type: "retry"; message: string; nextMs: number }
  | { type: "idle"; reason: AgentEndReason; message?: string; text: string }
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
export const createOpencodeTranslator = (sessionId: string) => {
  const texts = new Map<string, Map<string, string>>();
  const startedTools = new Set<string>();
  /** the user's, and summaries of a context that was compacted */
  const notSaid = new Set<string>();
  let lastMessage = "";
  let failure: { reason: AgentEndReason; message: string } | undefined;
  let finish: string | undefined;
  let isBusy = false;
  const spending = createSpending();
  let totalCostUsd = 0;

  const readTool = (part: Json): OpencodeSignal[] => {
    const id = textAt(part, "callID") ?? "";
    const state = objectAt(part, "state");
    const status = textAt(state, "status") ?? "";
    if (status === "pending") return [{ type: "call", id }];
    const isOver = status === "completed" || status === "error";
    const begin: OpencodeSignal[] = startedTools.has(id)
      ? []
      : [
          {
            type: "tool-start",
            id,
            name: textAt(part, "tool") ?? "",
            summary: summarizeToolInput(objectAt(state, "input")),
          },
        ];
    startedTools.add(id);
    if (!isOver) return begin;
    const exitCode = numberAt(objectAt(state, "metadata"), "exit") ?? 0;
    const isError = status === "error" || exitCode !== 0;
    const said = textAt(state, "error") ?? textAt(state, "output");
    return [...begin, { type: "tool-end", id, isError, ...(isError ? summarizeToolProblem(said) : {}) }];
  };

  const readText = (part: Json): OpencodeSignal[] => {
    const message = textAt(part, "messageID") ?? "";
    const text = textAt(part, "text") ?? "";
    // The user's own message comes back as an event, too; an answer is whole when it has an end.
    if (notSaid.has(message) || numberAt(objectAt(part, "time"), "end") === undefined || text === "")
      return [];
    const parts = texts.get(message) ?? new Map<string, string>();
    texts.clear(); // only the last message is ever asked for
    texts.set(message, parts.set(textAt(part, "id") ?? "", text));
    lastMessage = message;
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
        totalCostUsd += numberAt(part, "cost") ?? 0;
        spending.add(undefined, { ...tokens, ...(isMain ? {} : { subAgents: contextTokens }) });
        spending.replace({ totalCostUsd });
        return isMain ? [{ type: "figures", contextTokens, ...spending.spent() }] : [];
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
    return [{ type: "model", provider, model }];
  };

  const readIdle = (): OpencodeSignal[] => {
    // Said twice after a failure: only the first one ends a turn that had begun.
    if (!isBusy) return [];
    isBusy = false;
    const text = [...(texts.get(lastMessage)?.values() ?? [])].join("\n");
    const end = failure ?? { reason: finishReason(finish) };
    failure = undefined;
    texts.clear();
    return [{ type: "idle", text, ...end }];
  };

  const readStatus = (status: Json): OpencodeSignal[] => {
    if (status["type"] === "idle") return readIdle();
    isBusy = true;
    if (status["type"] !== "retry") return [{ type: "busy" }];
    return [
      {
        type: "retry",
        message: textAt(status, "message") ?? "the model's API failed",
        nextMs: numberAt(status, "next") ?? 0,
      },
    ];
  };

  const readError = (error: Json) => {
    const isAbort = error["name"] === "MessageAbortedError";
    const isLimit = numberAt(objectAt(error, "data"), "statusCode") === 429;
    failure = {
      reason: isAbort ? "interrupted" : isLimit ? "rate-limit" : "error",
      message: textOfError(error),
    };
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
      case "question.asked":
        return [
          {
            type: "question",
            id: textAt(properties, "id") ?? "",
            count: listAt(properties, "questions").length,
          },
        ];
      default: {
        const kind = textAt(event, "type") ?? "no type";
        return QUIET.test(kind) ? [] : [{ type: "unknown", kind, line: text }];
      }
    }
  };
};
