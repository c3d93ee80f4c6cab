import { modelOf, option, permissionModeOf } from "../arguments.ts";
import { systemClock } from "../../core/clock.ts";
import type { Driver, DriverSession, SessionRequest } from "../driver.ts";
import type { TurnSignal } from "../event-stream.ts";
import { fileSize, type FileFollower, followFile } from "../follow-file.ts";
import { type Json, objectAt, parseObject, textAt } from "../json.ts";
import { createMeter } from "../meter.ts";
import { readFailure } from "../google-failure.ts";
import { toolEnd, toolStart } from "../tool-events.ts";
import { startTurnSession, type Turn, type TurnReader } from "../turn-session.ts";
import {
  type ChatRecord,
  createChatReader,
  findChatFile,
  findSubAgentFiles,
  geminiWindow,
} from "./chat-file.ts";

const PROGRAM = "gemini";

export const geminiArguments = (request: SessionRequest, resume = request.resume): string[] => [
  ...(request.settings.args ?? []),
  ...option("--output-format", "stream-json"),
  ...option("--approval-mode", permissionModeOf(request) ?? "yolo"),
  ...option("--model", modelOf(request)),
  ...option("--resume", resume),
];

const readToolResult = (id: string, line: Json): TurnSignal => {
  const output = textAt(line, "output") ?? "";
  const hasFailed = line["status"] !== "success" || output.startsWith("Command exited with code");
  return toolEnd(id, hasFailed, textAt(objectAt(line, "error"), "message") ?? output);
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
  const unrecorded = new Map<string, TurnSignal>();
  let sessionId: string | undefined;
  let chat: string | undefined;
  const followers = new Map<string, FileFollower>();
  const meter = createMeter(request.settings);
  let text = "";

  const flushText = () => {
    if (text !== "") emit({ type: "text", text });
    text = "";
  };
  const count = ({ model, call }: Extract<ChatRecord, { type: "figures" }>) => {
    meter.spending.add(model, call);
    if (meter.contextTokens() > 0) emit(meter.usage());
  };
  const act = (record: ChatRecord) => {
    if (record.type === "figures") {
      meter.setContext(record.contextTokens);
      meter.setWindow(geminiWindow(record.model));
      count(record);
      return;
    }
    for (const id of record.ids) {
      emit(unrecorded.get(id) ?? toolEnd(id, false, ""));
      unrecorded.delete(id);
    }
  };
  /** A sub-agent's tokens are the session's; its context and its tool calls are its own. */
  const actBeside = (record: ChatRecord) => {
    if (record.type === "figures") count(record);
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
    if (line["status"] === "success") return emit({ type: "turn-end", reason: "completed" });
    const message = textAt(objectAt(line, "error"), "message") ?? "the turn failed";
    emit({ type: "turn-end", ...readFailure(message, systemClock.now()) });
  };
  const readLine = (line: Json, written: string) => {
    const id = textAt(line, "tool_id") ?? "";
    switch (line["type"]) {
      case "init": {
        sessionId = textAt(line, "session_id");
        if (sessionId !== undefined)
          emit({ type: "started", conversationId: sessionId, model: textAt(line, "model") });
        return;
      }
      case "message":
        if (line["role"] === "assistant") text += textAt(line, "content") ?? "";
        return;
      case "tool_use":
        flushText();
        emit(toolStart(id, textAt(line, "tool_name"), objectAt(line, "parameters")));
        return;
      case "tool_result":
        // The call is over once its result is on disk: stopped before that, the conversation would lose it.
        unrecorded.set(id, readToolResult(id, line));
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
const startSession = (request: SessionRequest): DriverSession =>
  startTurnSession(request, {
    command: request.settings.command ?? PROGRAM,
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

/** Gemini CLI: headless with JSON lines, watched through the chat file it keeps of the conversation. */
export const geminiDriver: Driver = {
  id: "gemini",
  title: "Gemini CLI",
  capabilities: {
    liveContext: "live",
    windowSource: "Gemini CLI's own table (`tokenLimits.ts`); it tells the window nowhere",
    gentleStop: "SIGKILL once the running tool calls' results are on disk (it ignores SIGINT and SIGTERM)",
    closingNote: "resumed conversation",
    resume: true,
    cost: "estimated",
    rateLimitReset: true,
    exitMeaning: "0 is a completed turn; a `result` line with status `success` is what counts",
  },
  describe: (request) => ({
    command: request.settings.command ?? PROGRAM,
    args: geminiArguments(request),
  }),
  start: async (request) => startSession(request),
};
