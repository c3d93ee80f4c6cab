import { errorText } from "../../core/errors.ts";
import { startAgentProcess } from "../agent-process.ts";
import type { DriverSession, SessionRequest } from "../driver.ts";
import { createEventStream } from "../event-stream.ts";
import { endOfExit } from "../exit-reason.ts";
import { asJson, type Json, listAt, objectAt, textAt } from "../json.ts";
import { createNoteWaiter } from "../note-waiter.ts";
import { connectAcp } from "./connection.ts";
import { openSession } from "./open-session.ts";
import { answerPermission, CANCELLED, type PermissionAnswer } from "./permission.ts";
import { type AcpSignal, createAcpTranslator, readStopReason } from "./translate.ts";

/** JSON-RPC says little in its message; what the agent knows more of stands in its data. */
const describeFault = (error: unknown): string => {
  const data = asJson(asJson(error)["data"]);
  const more = textAt(data, "details") ?? textAt(data, "message") ?? textAt(data, "error");
  return more === undefined ? errorText(error) : `${errorText(error)}: ${more}`;
};

/** The protocol has no field for a limit: what an agent says of one is all there is. */
const isRateLimit = (message: string): boolean =>
  /\b429\b|rate.?limit|quota|usage limit|RESOURCE_EXHAUSTED|too many requests/i.test(message);

/** A session with one process that speaks the Agent Client Protocol. */
export const startAcpSession = (
  request: SessionRequest,
  { command, args }: { command: string; args: readonly string[] },
): DriverSession => {
  const stream = createEventStream();
  const notes = createNoteWaiter();
  const translator = createAcpTranslator(request.settings.contextWindow);
  const openCalls = new Set<string>();
  const held = new Set<(answer: PermissionAnswer) => void>();
  let sessionId: string | undefined;
  let isStopAsked = false;
  let isCancelled = false;
  let noteText: string | undefined;

  const cancel = () => {
    // Only once: claude-agent-acp 0.100.0 takes a second one for the next turn.
    if (sessionId === undefined || isCancelled || stream.hasEnded()) return;
    isCancelled = true;
    connection.tell("session/cancel", { sessionId });
    for (const answer of held) answer(CANCELLED);
    held.clear();
  };
  const stopIfIdle = () => {
    if (isStopAsked && openCalls.size === 0) cancel();
  };
  const act = (signal: AcpSignal) => {
    if (stream.hasEnded()) {
      if (signal.type === "text") noteText = signal.text;
      if (signal.type === "usage") stream.noteSpending(signal);
      return;
    }
    if (signal.type === "tool-start") openCalls.add(signal.id);
    if (signal.type === "tool-end") openCalls.delete(signal.id);
    stream.push(signal);
    if (signal.type === "tool-end") stopIfIdle();
  };
  /** Not begun yet, so it need not be waited for: it is called off with the turn. */
  const callOff = (call: Json): Promise<PermissionAnswer> => {
    openCalls.delete(textAt(call, "toolCallId") ?? "");
    if (isCancelled) return Promise.resolve(CANCELLED);
    const calledOff = new Promise<PermissionAnswer>((resolve) => held.add(resolve));
    stopIfIdle();
    return calledOff;
  };
  const connection = connectAcp((text) => agent.write(text), {
    onGarbage: () => stream.push({ type: "warning", message: "the agent wrote a line outside the protocol" }),
    onUpdate: (params) => {
      // A conversation that is loaded is told again from its beginning.
      if (sessionId !== undefined && params["sessionId"] === sessionId) translator.read(params).forEach(act);
    },
    onPermission: async (params) => {
      const call = objectAt(params, "toolCall");
      const options = listAt(params, "options");
      const { answer, refusal } = await answerPermission(call, options, request.refuseCall);
      if (refusal !== undefined) stream.push({ type: "warning", message: `refused: ${refusal}` });
      if (isStopAsked && !stream.hasEnded()) return callOff(call);
      if (refusal === undefined) translator.allow(call).forEach(act);
      return answer;
    },
  });

  const agent = startAgentProcess({
    command,
    args,
    request,
    onLine: connection.onLine,
    onOutput: stream.noteActivity,
  });
  const takeTurn = async (text: string): Promise<Json> => {
    const prompt = [{ type: "text", text }];
    const answer = await connection.ask("session/prompt", { sessionId, prompt });
    translator.flush().forEach(act);
    return answer;
  };
  const converse = async () => {
    sessionId = await openSession(connection, request);
    stream.push({ type: "started", conversationId: sessionId });
    const answer = await takeTurn(request.prompt);
    const reason = readStopReason(answer);
    stream.end(
      reason,
      reason === "error" ? { message: `the agent stopped: ${textAt(answer, "stopReason")}` } : {},
    );
  };
  converse().catch((error: unknown) => {
    translator.flush().forEach(act);
    const message = describeFault(error);
    const isLimit = isRateLimit(message);
    if (isLimit && !stream.hasEnded()) stream.push({ type: "rate-limit", message });
    stream.end(isLimit ? "rate-limit" : "error", { message });
  });
  void agent.exited.then((exit) => {
    connection.close();
    stream.end(...endOfExit(exit, { successIs: "error", message: "the agent left before its turn ended" }));
    notes.close();
  });

  return {
    events: stream.events,
    child: agent.identity,
    spent: stream.spent,
    stopGently: async ({ mayCutTool = false } = {}) => {
      isStopAsked = true;
      if (mayCutTool) cancel();
      else stopIfIdle();
    },
    askForNote: ({ prompt, timeoutMs }) => {
      if (sessionId === undefined) return Promise.resolve(undefined);
      isStopAsked = false;
      noteText = undefined;
      takeTurn(prompt).then(
        (answer) =>
          noteText !== undefined && readStopReason(answer) === "completed"
            ? notes.answer(noteText)
            : notes.close(),
        () => notes.close(),
      );
      return notes.wait(timeoutMs);
    },
    end: (options) => agent.end({ ...options, isTurnOver: stream.hasEnded() }),
  };
};
