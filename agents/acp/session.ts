import { createAgentSession } from "../agent-session.ts";
import { errorText } from "../../core/errors.ts";
import type { DriverSession, SessionRequest } from "../driver.ts";
import type { TurnSignal } from "../event-stream.ts";
import { asJson, type Json, listAt, objectAt, textAt } from "../json.ts";
import { connectAcp } from "./connection.ts";
import { openSession } from "./open-session.ts";
import { answerPermission, CANCELLED, type PermissionAnswer } from "./permission.ts";
import { createAcpTranslator, readTurnEnd } from "./translate.ts";

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
  const translator = createAcpTranslator(request.settings.contextWindow);
  const held = new Set<(answer: PermissionAnswer) => void>();
  let sessionId: string | undefined;
  let isCancelled = false;

  const session = createAgentSession({
    prompt: (text) => {
      if (sessionId === undefined) throw new Error("no conversation was opened");
      void takeTurn(text);
    },
    interrupt: () => {
      // Only once: claude-agent-acp 0.100.0 takes a second one for the next turn.
      if (sessionId === undefined || isCancelled) return;
      isCancelled = true;
      connection.tell("session/cancel", { sessionId });
      for (const answer of held) answer(CANCELLED);
      held.clear();
    },
  });
  const act = (signals: readonly TurnSignal[]) => {
    for (const signal of signals) session.take(signal);
  };
  /** Not begun yet, so it need not be waited for: it is called off with the turn. */
  const callOff = (call: Json): Promise<PermissionAnswer> => {
    session.openCalls.delete(textAt(call, "toolCallId") ?? "");
    if (isCancelled) return Promise.resolve(CANCELLED);
    const calledOff = new Promise<PermissionAnswer>((resolve) => held.add(resolve));
    session.stopIfIdle();
    return calledOff;
  };
  const warn = (message: string) => session.take({ type: "warning", message });
  const connection = connectAcp((text) => agent.write(text), {
    onGarbage: () => warn("the agent wrote a line outside the protocol"),
    onUpdate: (params) => {
      // A conversation that is loaded is told again from its beginning.
      if (sessionId !== undefined && params["sessionId"] === sessionId) act(translator.read(params));
    },
    onPermission: async (params) => {
      const call = objectAt(params, "toolCall");
      const options = listAt(params, "options");
      const { answer, refusal } = await answerPermission(call, options, request.refuseCall);
      if (refusal !== undefined) warn(`refused: ${refusal}`);
      if (session.isStopping()) return callOff(call);
      if (refusal === undefined) act(translator.allow(call));
      return answer;
    },
  });

  const agent = session.start({
    command,
    args,
    request,
    onLine: connection.onLine,
    leaving: { message: "the agent left before its turn ended" },
  });
  void agent.exited.then(connection.close);

  const fail = (error: unknown) => {
    act(translator.flush());
    const message = describeFault(error);
    session.take({ type: "turn-end", reason: isRateLimit(message) ? "rate-limit" : "error", message });
  };
  const takeTurn = async (text: string) => {
    try {
      const prompt = [{ type: "text", text }];
      const answer = await connection.ask("session/prompt", { sessionId, prompt });
      act([...translator.flush(), readTurnEnd(answer)]);
    } catch (error) {
      fail(error);
    }
  };
  const converse = async () => {
    sessionId = await openSession(connection, request);
    session.take({ type: "started", conversationId: sessionId });
    await takeTurn(request.prompt);
  };
  converse().catch(fail);
  return session.toDriverSession(agent);
};
