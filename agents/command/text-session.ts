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
  let said = "";
  let wasStopped = false;
  const agent = startAgentProcess({
    command,
    args,
    request,
    onLine: (line) => {
      said = `${said}${line}\n`.slice(-KEPT_TEXT_CHARS);
      stream.push({ type: "text", text: line });
    },
  });
  if (takesStdin) agent.write(request.prompt);
  agent.closeStdin();
  void agent.exited.then((exit) => {
    stream.setLastText(said.trim());
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
