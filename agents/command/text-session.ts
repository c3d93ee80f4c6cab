import { createAgentSession } from "../agent-session.ts";
import { startAgentProcess } from "../agent-process.ts";
import type { DriverSession, SessionRequest } from "../driver.ts";
import { endOfExit } from "../exit-reason.ts";

const KEPT_TEXT_CHARS = 200_000;

/** A session with a program whose output is simply what it says; its exit code is its verdict. */
export const startTextSession = (
  request: SessionRequest,
  { command, args, takesStdin }: { command: string; args: readonly string[]; takesStdin: boolean },
): DriverSession => {
  const said = createTail();
  let wasStopped = false;
  let lines: string[] = [];
  const session = createAgentSession({
    prompt: () => {
      throw new Error("it has left, and cannot be asked for a note");
    },
    // Nothing is known of its tool calls: SIGINT is the gentlest that every program understands.
    interrupt: () => {
      wasStopped = true;
      agent.signal("SIGINT");
    },
  });
  // What came together is told together: a program that prints a whole build log is not heard line by line.
  const tell = () => {
    if (lines.length === 0) return;
    const text = lines.join("\n");
    lines = [];
    said.add(text);
    session.take({ type: "text", text });
  };
  const agent = startAgentProcess({
    command,
    args,
    request,
    onOutput: session.noteActivity,
    onLine: (line) => {
      if (lines.push(line) === 1) queueMicrotask(tell);
    },
    onExit: tell,
  });
  if (takesStdin) agent.write(request.prompt);
  agent.closeStdin();
  void agent.exited.then((exit) => {
    const [reason, details] = endOfExit(exit, { wasStopped });
    session.close(reason, { ...details, lastText: said.text() });
  });
  return session.toDriverSession(agent);
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
