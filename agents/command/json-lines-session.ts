import { createAgentSession } from "../agent-session.ts";
import { modelOf } from "../arguments.ts";
import { withoutUndefined } from "../../core/without-undefined.ts";
import type { DriverSession, SessionRequest } from "../driver.ts";
import { encodeLine, parseProgramLine, type SupervisorLine } from "./protocol.ts";

/** A session with a program that speaks the JSON-lines protocol. */
export const startJsonLinesSession = (
  request: SessionRequest,
  { command, args }: { command: string; args: readonly string[] },
): DriverSession => {
  const send = (line: SupervisorLine) => agent.write(encodeLine(line));
  const session = createAgentSession({
    prompt: (prompt) => send({ type: "note", prompt }),
    interrupt: () => undefined, // it stops by itself
  });
  const onLine = (text: string) => {
    const line = parseProgramLine(text);
    if ("problem" in line)
      return session.take({ type: "warning", message: `output is not of the protocol (${line.problem})` });
    if (line.type === "note") return session.giveNote(line.text);
    if (line.type === "turn-end") return session.end(line.reason, { message: line.message });
    if (line.type === "tool-start") return session.take({ ...line, summary: line.summary ?? "" });
    if (line.type === "tool-end") return session.take({ ...line, isError: line.isError ?? false });
    if (line.type !== "usage") return session.take(line);
    const { confirm, windowTokens = request.settings.contextWindow, ...usage } = line;
    session.take({ ...usage, source: "live", windowTokens }, () => {
      if (confirm !== undefined) send({ type: "confirmed", confirm });
    });
  };
  const agent = session.start({
    command,
    args,
    request,
    onLine,
    // The protocol ends a turn with a line; a program that leaves without it did not finish, whatever its code.
    leaving: { message: "the program left before its turn ended" },
  });
  send({
    type: "prompt",
    prompt: request.prompt,
    dir: request.dir,
    ...withoutUndefined({ model: modelOf(request), conversationId: request.resume }),
  });
  return {
    ...session.toDriverSession(agent),
    stopGently: async () => send({ type: "stop" }),
  };
};
