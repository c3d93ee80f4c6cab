import { startAgentProcess } from "../agent-process.ts";
import type { DriverSession, SessionRequest } from "../driver.ts";
import { createEventStream } from "../event-stream.ts";
import { endOfExit } from "../exit-reason.ts";

const KEPT_TEXT_CHARS = 200_000;

/** A session with a program whose output is simply what it says; its exit code is its verdict. */
export const startTextSession = async (
  request: SessionRequest,
  { command, args, takesStdin }: { command: string; args: readonly string[]; takesStdin: boolean },
): Promise<DriverSession> => {
  const stream = createEventStream();
  const said = createTail();
  let wasStopped = false;
  let lines: string[] = [];
  // What came together is told together: a program that prints a whole build log is not heard line by line.
  const tell = () => {
    if (lines.length === 0) return;
    const text = lines.join("\n");
    lines = [];
    said.add(text);
    stream.push({ type: "text", text });
  };
  const agent = startAgentProcess({
    command,
    args,
    request,
    onOutput: stream.noteActivity,
    onLine: (line) => {
      if (lines.push(line) === 1) queueMicrotask(tell);
    },
  });
  if (takesStdin) agent.write(request.prompt);
  agent.closeStdin();
  void agent.exited.then((exit) => {
    tell();
    stream.setLastText(said.text());
    stream.end(...endOfExit(exit, { successIs: "completed", message: "", wasStopped }));
  });
  return {
    events: stream.events,
    child: agent.identity,
    spent: stream.spent,
    // Nothing is known of its tool calls: SIGINT is the gentlest that every program understands.
    stopGently: async () => {
      wasStopped = true;
      agent.signal("SIGINT");
    },
    askForNote: async () => undefined,
    end: agent.end,
  };
};

/** The last of what was said. */
const createTail = () => {
  let parts: string[] = [];
  let length = 0;
  return {
    add: (text: string) => {
      parts.push(text);
      length += text.length;
      if (length < 2 * KEPT_TEXT_CHARS) return;
      parts = [parts.join("\n").slice(-KEPT_TEXT_CHARS)];
      length = KEPT_TEXT_CHARS;
    },
    text: () => parts.join("\n").slice(-KEPT_TEXT_CHARS).trim(),
  };
};
