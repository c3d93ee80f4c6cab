import type { AgentExit } from "./agent-process.ts";
import type { AgentEndReason } from "./driver.ts";
import type { EndDetails } from "./event-stream.ts";

/** The last of it is shown: short enough for a message. */
const SHOWN_STDERR_CHARS = 600;

/** What a session that is over only because its process is gone ended as. */
export const endOfExit = (
  { startError, exitCode, signal, stderrTail }: AgentExit,
  {
    message,
    wasStopped = false,
    explain = (reason) => reason,
  }: {
    /** what is said of code 0; without it, that is a success */
    message?: string;
    wasStopped?: boolean;
    /** adds to what went wrong what to do about it */
    explain?: (reason: string) => string;
  },
): [AgentEndReason, EndDetails] => {
  if (startError) return ["not-started", { message: explain(startError) }];
  const details = { exitCode, signal };
  if (wasStopped) return ["interrupted", details];
  if (exitCode === 0 && message === undefined) return ["completed", details];
  const how = signal === undefined ? `exit code ${exitCode}` : `signal ${signal}`;
  const what = exitCode === 0 ? message : `ended with ${how}`;
  const said = stderrTail.trim().split("\n").slice(-6).join("\n").slice(-SHOWN_STDERR_CHARS);
  return ["error", { ...details, message: explain([what, said].filter(Boolean).join(": ")) }];
};
