import { systemClock } from "../../core/clock.ts";
import type { DriverSession, SessionRequest } from "../driver.ts";
import { fileSize, type FileFollower, followFile } from "../follow-file.ts";
import { type Json, objectAt, parseObject, textAt } from "../json.ts";
import { readQuotaMessage } from "../quota-message.ts";
import { createSpending } from "../spending.ts";
import { summarizeToolInput, summarizeToolProblem } from "../tool-summary.ts";
import { startTurnSession, type Turn, type TurnReader, type TurnSignal } from "../turn-session.ts";
import { type ChatRecord, createChatReader, findChatFile, findSubAgentFiles } from "./chat-file.ts";
import { geminiWindow } from "./window.ts";

export const geminiArguments = (request: SessionRequest, resume = request.resume): string[] => {
  const model = request.model ?? request.settings.model;
  const mode = request.settings["permissionMode"];
  return [
    ...(request.settings.args ?? []),
    "--output-format",
    "stream-json",
    "--approval-mode",
    typeof mode === "string" ? mode : "yolo",
    ...(model === undefined ? [] : ["--model", model]),
    ...(resume === undefined ? [] : ["--resume", resume]),
  ];
};

const readToolResult = (line: Json) => {
  const output = textAt(line, "output") ?? "";
  const isError = line["status"] !== "success" || output.startsWith("Command exited with code");
  const said = textAt(objectAt(line, "error"), "message") ?? output;
  return { isError, ...(isError ? summarizeToolProblem(said) : {}) };
};

/** Reads Gemini CLI's two voices: its events on stdout, and the chat file, which has every call's figures. */
const createGeminiReader = (
  request: SessionRequest,
  turn: Turn,
  emit: (signal: TurnSignal) => void,
): TurnReader => {
  const before = turn.resume === undefined ? undefined : findChatFile(request.env, turn.resume);
  const old = new Map(
    before === undefined || turn.resume === undefined
      ? []
      : [before, ...findSubAgentFiles(before, turn.resume)].map((path) => [path, fileSize(path)]),
  );
  const unrecorded = new Map<string, { isError: boolean; reason?: string }>();
  let sessionId: string | undefined;
  let chat: string | undefined;
  const followers = new Map<string, FileFollower>();
  let figures: { contextTokens: number; windowTokens: number } | undefined;
  const spending = createSpending(request.settings.prices);
  let text = "";

  const flushText = () => {
    if (text !== "") emit({ type: "text", text });
    text = "";
  };
  const pushUsage = () => {
    if (figures) emit({ type: "usage", ...figures, source: "live", ...spending.spent() });
  };
  const act = (record: ChatRecord) => {
    if (record.type === "figures") {
      const { contextTokens, model, call } = record;
      figures = { contextTokens, windowTokens: request.settings.contextWindow ?? geminiWindow(model) };
      spending.add(model, call);
      pushUsage();
      return;
    }
    for (const id of record.ids) {
      emit({ type: "tool-end", id, ...(unrecorded.get(id) ?? { isError: false }) });
      unrecorded.delete(id);
    }
  };
  /** A sub-agent's tokens are the session's; its context and its tool calls are its own. */
  const actBeside = (record: ChatRecord) => {
    if (record.type !== "figures") return;
    spending.add(record.model, record.call);
    pushUsage();
  };
  const followOnce = (path: string, onRecord: (record: ChatRecord) => void) => {
    const follower = followers.get(path);
    if (follower) return follower.read();
    const readChat = createChatReader();
    followers.set(
      path,
      followFile(path, old.get(path) ?? 0, (line) => readChat(line).forEach(onRecord)),
    );
  };
  const follow = () => {
    if (sessionId === undefined) return;
    chat ??= findChatFile(request.env, sessionId);
    if (chat === undefined) return;
    for (const path of findSubAgentFiles(chat, sessionId)) followOnce(path, actBeside);
    followOnce(chat, act);
  };

  const readResult = (line: Json) => {
    const message = textAt(objectAt(line, "error"), "message") ?? "the turn failed";
    const limit = line["status"] === "success" ? undefined : readQuotaMessage(message, systemClock.now());
    if (limit) emit(limit);
    if (line["status"] === "success") emit({ type: "turn-end", reason: "completed" });
    else emit({ type: "turn-end", reason: limit ? "rate-limit" : "error", message });
  };
  const readLine = (line: Json, written: string) => {
    const id = textAt(line, "tool_id") ?? "";
    switch (line["type"]) {
      case "init": {
        sessionId = textAt(line, "session_id");
        const model = textAt(line, "model");
        if (sessionId !== undefined)
          emit({ type: "started", conversationId: sessionId, ...(model === undefined ? {} : { model }) });
        return;
      }
      case "message":
        if (line["role"] === "assistant") text += textAt(line, "content") ?? "";
        return;
      case "tool_use": {
        flushText();
        const summary = summarizeToolInput(objectAt(line, "parameters"));
        emit({ type: "tool-start", id, name: textAt(line, "tool_name") ?? "", summary });
        return;
      }
      case "tool_result":
        // The call is over once its result is on disk: stopped before that, the conversation would lose it.
        unrecorded.set(id, readToolResult(line));
        return;
      case "error":
        emit({ type: "warning", message: textAt(line, "message") ?? "" });
        return;
      case "result":
        flushText();
        follow();
        readResult(line);
        return;
      default:
        emit({ type: "unknown", kind: textAt(line, "type") ?? "no type", line: written });
    }
  };
  return {
    onLine: (textLine) => {
      const line = parseObject(textLine);
      if (line) readLine(line, textLine);
      else emit({ type: "warning", message: "Gemini CLI wrote a line that is not JSON" });
      follow();
    },
    close: () => {
      flushText();
      follow();
      for (const follower of followers.values()) follower.close();
    },
  };
};

/** A session with Gemini CLI: one process a turn, its prompt on stdin. */
export const startGeminiSession = (request: SessionRequest, command: string): DriverSession =>
  startTurnSession(request, {
    command,
    commandLine: ({ prompt, resume }) => ({
      args: geminiArguments(request, resume),
      stdin: prompt,
      // Without trust it refuses to work unattended in a folder it has not seen.
      env: { GEMINI_CLI_TRUST_WORKSPACE: request.env["GEMINI_CLI_TRUST_WORKSPACE"] ?? "true" },
    }),
    createReader: (turn, emit) => createGeminiReader(request, turn, emit),
    // SIGINT and SIGTERM are ignored (0.61.0), also while it waits for the model; all is on disk by now.
    interrupt: (process) => void process.end({ graceMs: 0 }),
    interruptGraceMs: 0,
  });
