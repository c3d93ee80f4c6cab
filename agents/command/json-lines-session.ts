import { withoutUndefined } from "../../core/without-undefined.ts";
import { startAgentProcess } from "../agent-process.ts";
import type { DriverSession, SessionRequest } from "../driver.ts";
import { createEventStream, type EventStream } from "../event-stream.ts";
import { endOfExit } from "../exit-reason.ts";
import { createNoteWaiter } from "../note-waiter.ts";
import { encodeLine, parseProgramLine, type ProgramLine, type SupervisorLine } from "./protocol.ts";

const isEvent = (line: ProgramLine): line is Exclude<ProgramLine, { type: "turn-end" | "note" }> =>
  line.type !== "turn-end" && line.type !== "note";

const pushEvent = (
  stream: EventStream,
  line: Exclude<ProgramLine, { type: "turn-end" | "note" }>,
  request: SessionRequest,
  confirm: (id: string) => void,
) => {
  switch (line.type) {
    case "usage": {
      const { confirm: id, ...usage } = line;
      const windowTokens = line.windowTokens ?? request.settings.contextWindow;
      stream.push(
        { ...usage, source: "live", ...(windowTokens === undefined ? {} : { windowTokens }) },
        id === undefined ? undefined : () => confirm(id),
      );
      return;
    }
    case "tool-start":
      stream.push({ ...line, summary: line.summary ?? "" });
      return;
    case "tool-end":
      stream.push({ ...line, isError: line.isError ?? false });
      return;
    case "started":
    case "text":
    case "rate-limit":
    case "warning":
      stream.push(line);
  }
};

/** A session with a program that speaks the JSON-lines protocol. */
export const startJsonLinesSession = async (
  request: SessionRequest,
  { command, args }: { command: string; args: readonly string[] },
): Promise<DriverSession> => {
  const stream = createEventStream();
  const notes = createNoteWaiter();
  const send = (line: SupervisorLine) => agent.write(encodeLine(line));
  const onLine = (text: string) => {
    const line = parseProgramLine(text);
    if ("problem" in line)
      stream.push({ type: "warning", message: `output is not of the protocol (${line.problem})` });
    else if (line.type === "note") notes.answer(line.text);
    else if (line.type === "turn-end")
      stream.end(line.reason, line.message === undefined ? {} : { message: line.message });
    else if (isEvent(line))
      pushEvent(stream, line, request, (confirm) => send({ type: "confirmed", confirm }));
  };
  const agent = startAgentProcess({
    command,
    args,
    request,
    onLine,
    onOutput: stream.noteActivity,
  });
  const model = request.model ?? request.settings.model;
  send({
    type: "prompt",
    prompt: request.prompt,
    dir: request.dir,
    ...withoutUndefined({ model, conversationId: request.resume }),
  });
  void agent.exited.then((exit) => {
    // The protocol ends a turn with a line; a program that leaves without it did not finish, whatever its code.
    stream.end(...endOfExit(exit, { successIs: "error", message: "the program left before its turn ended" }));
    notes.close();
  });
  return {
    events: stream.events,
    child: agent.identity,
    spent: stream.spent,
    stopGently: async () => send({ type: "stop" }),
    askForNote: ({ prompt, timeoutMs }) => {
      send({ type: "note", prompt });
      return notes.wait(timeoutMs);
    },
    end: (options) => agent.end({ ...options, isTurnOver: stream.hasEnded() }),
  };
};
