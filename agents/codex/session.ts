import { fileSize, type FileFollower, followFile } from "../follow-file.ts";
import type { DriverSession, SessionRequest } from "../driver.ts";
import { objectAt, parseObject, textAt } from "../json.ts";
import { startTurnSession, type Turn, type TurnReader, type TurnSignal } from "../turn-session.ts";
import { codexHome, createRolloutReader, findRollout } from "./rollout.ts";

/** A turn's arguments; the prompt goes through stdin (`-`), which has no length limit. */
export const codexArguments = (request: SessionRequest, resume = request.resume): string[] => {
  const model = request.model ?? request.settings.model;
  const sandbox = request.settings["permissionMode"];
  return [
    ...(request.settings.args ?? []),
    "exec",
    ...(resume === undefined ? [] : ["resume"]),
    "--json",
    "--skip-git-repo-check",
    // `exec` never asks; `resume` has no --sandbox.
    ...(typeof sandbox === "string"
      ? ["-c", `sandbox_mode=${JSON.stringify(sandbox)}`]
      : ["--dangerously-bypass-approvals-and-sandbox"]),
    ...(model === undefined ? [] : ["--model", model]),
    ...(resume === undefined ? [] : [resume]),
    "-",
  ];
};

const KNOWN = new Set([
  "thread.started",
  "turn.started",
  "turn.completed",
  "turn.failed",
  "item.started",
  "item.updated",
  "item.completed",
  "error",
]);

/** Reads Codex's two voices: the few events on stdout, and the rollout file, which has every call's figures. */
const createCodexReader = (
  request: SessionRequest,
  turn: Turn,
  emit: (signal: TurnSignal) => void,
): TurnReader => {
  const home = codexHome(request.env);
  const before = turn.resume === undefined ? undefined : findRollout(home, turn.resume);
  const from = before === undefined ? 0 : fileSize(before);
  const readRollout = createRolloutReader(request.settings);
  let threadId: string | undefined;
  let follower: FileFollower | undefined;
  let failure: string | undefined;
  let isLimitReached = false;

  const follow = () => {
    const path = threadId === undefined ? undefined : findRollout(home, threadId);
    if (path === undefined) return;
    follower = followFile(path, path === before ? from : 0, (line) => {
      for (const signal of readRollout(line))
        if (signal.type === "limit-reached") isLimitReached = true;
        else emit(signal);
    });
  };
  const onLine = (text: string) => {
    const line = parseObject(text);
    if (!line) {
      emit({ type: "warning", message: "Codex wrote a line that is not JSON" });
      return;
    }
    if (line["type"] === "thread.started") {
      threadId = textAt(line, "thread_id");
      if (threadId !== undefined) emit({ type: "started", conversationId: threadId });
    }
    if (follower) follower.read();
    else follow();
    const item = objectAt(line, "item");
    if (line["type"] === "item.completed" && item["type"] === "agent_message")
      emit({ type: "text", text: textAt(item, "text") ?? "" });
    if (line["type"] === "item.completed" && item["type"] === "error")
      emit({ type: "warning", message: textAt(item, "message") ?? "" });
    if (line["type"] === "turn.completed") emit({ type: "turn-end", reason: "completed" });
    const kind = textAt(line, "type") ?? "no type";
    if (!KNOWN.has(kind)) emit({ type: "unknown", kind, line: text });
    if (kind === "turn.failed") failure = textAt(objectAt(line, "error"), "message") ?? "the turn failed";
  };
  const close = () => {
    if (!follower) follow();
    follower?.close();
    // Only now: the rollout, which tells a usage limit from another failure, may be written after the event.
    if (failure !== undefined)
      emit({ type: "turn-end", reason: isLimitReached ? "rate-limit" : "error", message: failure });
  };
  return { onLine, close };
};

/** A session with Codex: `codex exec --json`, one process a turn. */
export const startCodexSession = (request: SessionRequest, command: string): DriverSession =>
  startTurnSession(request, {
    command,
    commandLine: ({ prompt, resume }) => ({ args: codexArguments(request, resume), stdin: prompt }),
    createReader: (turn, emit) => createCodexReader(request, turn, emit),
    interrupt: (process) => process.signal("SIGINT"),
    interruptGraceMs: 3_000,
  });
