import { systemClock } from "../../../core/clock.ts";
import { errorText } from "../../../core/errors.ts";
import { startAgentProcess } from "../../agent-process.ts";
import type { DriverSession, SessionRequest } from "../../driver.ts";
import { createEventStream } from "../../event-stream.ts";
import { endOfExit } from "../../exit-reason.ts";
import { type Json, objectAt, textAt } from "../../json.ts";
import { NOBODY_ANSWERS } from "../../nobody.ts";
import { createNoteWaiter } from "../../note-waiter.ts";
import { connectAppServer } from "./connection.ts";
import { type AppServerSignal, createAppServerTranslator } from "./translate.ts";

/** How long a call may run before Codex tells of it: it says so only once the program is started. */
const UNTOLD_MS = 300;

/** What it asks leave for is judged by the critic; a question has nobody to answer it. */
const answerRequest = async (
  method: string,
  params: Json,
  refuseCall: SessionRequest["refuseCall"],
): Promise<Json> => {
  switch (method) {
    case "item/commandExecution/requestApproval":
    case "item/fileChange/requestApproval": {
      const tool = method.split("/")[1] ?? "";
      const refusal = await refuseCall?.({ tool, input: params });
      return { decision: refusal === undefined ? "accept" : "decline" };
    }
    case "mcpServer/elicitation/request":
      return { action: "decline", content: null, _meta: null };
    default:
      throw new Error(NOBODY_ANSWERS);
  }
};

const threadOf = (request: SessionRequest, config: Json): Json => {
  const mode = request.settings["permissionMode"];
  return {
    cwd: request.dir,
    config,
    approvalPolicy: "never",
    sandbox: typeof mode === "string" ? mode : "danger-full-access",
    model: request.model ?? request.settings.model ?? null,
  };
};

/** A session with one `codex app-server`: a thread, its turns, and the closing note as one more of them. */
export const startAppServerSession = (
  request: SessionRequest,
  { command, args, threadConfig }: { command: string; args: readonly string[]; threadConfig: Json },
): DriverSession => {
  const stream = createEventStream();
  const notes = createNoteWaiter();
  const translator = createAppServerTranslator(request.settings);
  const openCalls = new Set<string>();
  /** when the calls of an answer were over, until the next call */
  let boundaryMs = Number.NEGATIVE_INFINITY;
  let threadId: string | undefined;
  let turnId: string | undefined;
  let isStopAsked = false;
  let isInterrupted = false;
  let noteText: string | undefined;

  const connection = connectAppServer((text) => agent.write(text), {
    onGarbage: () => stream.push({ type: "warning", message: "codex wrote a line outside its protocol" }),
    onNotification: (method, params) => translator.read(method, params).forEach(act),
    onRequest: (method, params) => answerRequest(method, params, request.refuseCall),
  });
  const agent = startAgentProcess({
    command,
    args,
    request,
    onLine: connection.onLine,
    onOutput: stream.noteActivity,
  });

  const interrupt = () => {
    if (turnId === undefined || isInterrupted || stream.hasEnded()) return;
    isInterrupted = true;
    // A turn that has ended meanwhile cannot be interrupted, and need not.
    connection.ask("turn/interrupt", { threadId, turnId }).catch(() => undefined);
  };
  const isIdle = () => isStopAsked && openCalls.size === 0;
  /** At a boundary at once; elsewhere a call may run that is not told yet. */
  const stopIfIdle = () => {
    if (!isIdle()) return;
    if (systemClock.elapsed() - boundaryMs < UNTOLD_MS) interrupt();
    else void systemClock.sleep(UNTOLD_MS).then(() => isIdle() && interrupt());
  };
  /** The closing note is a turn of its own: its text is the note. */
  const actInNote = (signal: AppServerSignal) => {
    if (signal.type === "text") noteText = signal.text;
    if (signal.type === "usage") stream.noteSpending(signal);
    if (signal.type !== "turn-end") return;
    if (signal.reason === "completed" && noteText !== undefined) notes.answer(noteText);
    else notes.close();
  };
  const act = (signal: AppServerSignal): void => {
    if (stream.hasEnded()) return actInNote(signal);
    if (signal.type === "turn-end") {
      const { reason, message } = signal;
      stream.end(reason, message === undefined ? {} : { message });
      return;
    }
    if (signal.type === "tool-start") {
      openCalls.add(signal.id);
      boundaryMs = Number.NEGATIVE_INFINITY;
    }
    if (signal.type === "tool-end") openCalls.delete(signal.id);
    if (signal.type === "calls-over") boundaryMs = systemClock.elapsed();
    else stream.push(signal);
    if (signal.type === "tool-end" || signal.type === "calls-over") stopIfIdle();
  };

  const openThread = async () => {
    const clientInfo = { name: "nightshift", title: "Nightshift", version: "1" };
    await connection.ask("initialize", { clientInfo, capabilities: null });
    connection.tell("initialized");
    const opened =
      request.resume === undefined
        ? await connection.ask("thread/start", threadOf(request, threadConfig))
        : await connection.ask("thread/resume", {
            ...threadOf(request, threadConfig),
            threadId: request.resume,
            excludeTurns: true,
          });
    threadId = textAt(objectAt(opened, "thread"), "id") ?? "";
    const model = textAt(opened, "model");
    translator.follow(threadId, model);
    stream.push({ type: "started", conversationId: threadId, ...(model === undefined ? {} : { model }) });
  };
  const takeTurn = async (text: string) => {
    const input = [{ type: "text", text, text_elements: [] }];
    const { turn } = await connection.ask("turn/start", { threadId, input });
    turnId = textAt(objectAt({ turn }, "turn"), "id");
    stopIfIdle();
  };
  const converse = async () => {
    await openThread();
    await takeTurn(request.prompt);
  };
  converse().catch((error: unknown) => {
    // One that has left says itself why.
    if (!hasLeft) stream.end("error", { message: errorText(error) });
  });
  let hasLeft = false;
  void agent.exited.then((exit) => {
    hasLeft = true;
    stream.end(...endOfExit(exit, { successIs: "error", message: "codex left before its turn ended" }));
    connection.close();
    notes.close();
  });

  return {
    events: stream.events,
    child: agent.identity,
    spent: stream.spent,
    stopGently: async ({ mayCutTool = false } = {}) => {
      isStopAsked = true;
      if (mayCutTool) interrupt();
      else stopIfIdle();
    },
    askForNote: ({ prompt, timeoutMs }) => {
      if (threadId === undefined) return Promise.resolve(undefined);
      isStopAsked = false;
      noteText = undefined;
      takeTurn(prompt).catch(() => notes.close());
      return notes.wait(timeoutMs);
    },
    end: (options) => agent.end({ ...options, isTurnOver: stream.hasEnded() }),
  };
};
