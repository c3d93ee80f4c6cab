import { createAgentSession } from "../../agent-session.ts";
import { modelOf, permissionModeOf } from "../../arguments.ts";
import { systemClock } from "../../../core/clock.ts";
import type { DriverSession, SessionRequest } from "../../driver.ts";
import { type Json, objectAt, textAt } from "../../json.ts";
import { NOBODY_ANSWERS } from "../../nobody.ts";
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

const threadOf = (request: SessionRequest, config: Json): Json => ({
  cwd: request.dir,
  config,
  approvalPolicy: "never",
  sandbox: permissionModeOf(request) ?? "danger-full-access",
  model: modelOf(request) ?? null,
});

/** A session with one `codex app-server`: a thread, its turns, and the closing note as one more of them. */
export const startAppServerSession = (
  request: SessionRequest,
  { command, args, threadConfig }: { command: string; args: readonly string[]; threadConfig: Json },
): DriverSession => {
  const translator = createAppServerTranslator(request.settings);
  /** when the calls of an answer were over, until the next call */
  let boundaryMs = Number.NEGATIVE_INFINITY;
  let threadId: string | undefined;
  let turnId: string | undefined;

  const interrupt = () => {
    if (turnId === undefined) return;
    // A turn that has ended meanwhile cannot be interrupted, and need not.
    connection.ask("turn/interrupt", { threadId, turnId }).catch(() => undefined);
  };
  const session = createAgentSession({
    prompt: (text) => {
      if (threadId === undefined) throw new Error("no thread was opened");
      takeTurn(text).catch(session.fail);
    },
    interrupt,
    /** At a boundary at once; elsewhere a call may run that is not told yet. */
    onIdle: () => {
      if (systemClock.elapsed() - boundaryMs < UNTOLD_MS) interrupt();
      else void systemClock.sleep(UNTOLD_MS).then(() => session.isIdle() && interrupt());
    },
  });
  const act = (signal: AppServerSignal): void => {
    if (signal.type === "calls-over") {
      boundaryMs = systemClock.elapsed();
      session.stopIfIdle();
      return;
    }
    if (signal.type === "tool-start") boundaryMs = Number.NEGATIVE_INFINITY;
    session.take(signal);
  };
  const connection = connectAppServer((text) => agent.write(text), {
    onGarbage: () => session.take({ type: "warning", message: "codex wrote a line outside its protocol" }),
    onNotification: (method, params) => translator.read(method, params).forEach(act),
    onRequest: (method, params) => answerRequest(method, params, request.refuseCall),
  });
  const agent = session.start({
    command,
    args,
    request,
    onLine: connection.onLine,
    leaving: { message: "codex left before its turn ended" },
  });
  void agent.exited.then(connection.close);

  const openThread = async () => {
    const clientInfo = { name: "nightshift", title: "Nightshift", version: "1" };
    await connection.ask("initialize", { clientInfo, capabilities: null });
    connection.tell("initialized");
    const thread = threadOf(request, threadConfig);
    const opened = await (request.resume === undefined
      ? connection.ask("thread/start", thread)
      : connection.ask("thread/resume", { ...thread, threadId: request.resume, excludeTurns: true }));
    threadId = textAt(objectAt(opened, "thread"), "id") ?? "";
    const model = textAt(opened, "model");
    translator.follow(threadId, model);
    session.take({ type: "started", conversationId: threadId, model });
  };
  const takeTurn = async (text: string) => {
    const input = [{ type: "text", text, text_elements: [] }];
    const begun = await connection.ask("turn/start", { threadId, input });
    turnId = textAt(objectAt(begun, "turn"), "id");
    session.stopIfIdle();
  };
  const converse = async () => {
    await openThread();
    await takeTurn(request.prompt);
  };
  converse().catch(session.fail);
  return session.toDriverSession(agent);
};
