import { modelOf, option, permissionModeOf } from "../arguments.ts";
import { fileSize, type FileFollower, followFile } from "../follow-file.ts";
import type { DriverSession, SessionRequest } from "../driver.ts";
import type { TurnSignal } from "../event-stream.ts";
import { type Json, objectAt, parseObject, textAt } from "../json.ts";
import { startTurnSession, type Turn, type TurnReader } from "../turn-session.ts";
import { codexHome, createRolloutReader, findRollout } from "./rollout.ts";

/** A turn's arguments; the prompt goes through stdin (`-`), which has no length limit. */
export const codexArguments = (request: SessionRequest, resume = request.resume): string[] => {
  const sandbox = permissionModeOf(request);
  return [
    ...(request.settings.args ?? []),
    "exec",
    ...(resume === undefined ? [] : ["resume"]),
    "--json",
    "--skip-git-repo-check",
    // `exec` never asks; `resume` has no --sandbox.
    ...(sandbox === undefined
      ? ["--dangerously-bypass-approvals-and-sandbox"]
      : ["-c", `sandbox_mode=${JSON.stringify(sandbox)}`]),
    ...option("--model", modelOf(request)),
    ...(resume === undefined ? [] : [resume]),
    "-",
  ];
};

/** Events that say nothing that a supervisor acts on. */
const QUIET = new Set(["thread.started", "turn.started", "item.started", "item.updated", "error"]);

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
  let limit: Extract<TurnSignal, { type: "rate-limit" }> | undefined;

  const follow = () => {
    if (follower) return follower.read();
    const path = threadId === undefined ? undefined : findRollout(home, threadId);
    if (path === undefined) return;
    follower = followFile(path, path === before ? from : 0, (line) => {
      for (const signal of readRollout(line))
        if (signal.type === "rate-limit") limit = signal;
        else emit(signal);
    });
  };
  const readEvent = (kind: string, line: Json, written: string) => {
    const item = objectAt(line, "item");
    if (kind === "item.completed") {
      if (item["type"] === "agent_message") emit({ type: "text", text: textAt(item, "text") ?? "" });
      if (item["type"] === "error") emit({ type: "warning", message: textAt(item, "message") ?? "" });
    } else if (kind === "turn.completed") emit({ type: "turn-end", reason: "completed" });
    else if (kind === "turn.failed")
      failure = textAt(objectAt(line, "error"), "message") ?? "the turn failed";
    else if (!QUIET.has(kind)) emit({ type: "unknown", kind, line: written });
  };
  const onLine = (written: string) => {
    const line = parseObject(written);
    if (!line) return emit({ type: "warning", message: "Codex wrote a line that is not JSON" });
    if (line["type"] === "thread.started") {
      threadId = textAt(line, "thread_id");
      if (threadId !== undefined) emit({ type: "started", conversationId: threadId });
    }
    follow();
    readEvent(textAt(line, "type") ?? "no type", line, written);
  };
  const close = () => {
    follow();
    follower?.close();
    // Only now: the rollout, which tells a usage limit from another failure, may be written after the event.
    if (failure === undefined) return;
    const { resetsAtMs } = limit ?? {};
    emit({ type: "turn-end", reason: limit ? "rate-limit" : "error", message: failure, resetsAtMs });
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
