import { withoutUndefined } from "../core/without-undefined.ts";
import type { AgentExit } from "./agent-process.ts";
import type { AgentEndReason, AgentEvent } from "./driver.ts";

type EndDetails = Omit<Extract<AgentEvent, { type: "ended" }>, "type" | "reason" | "lastText">;

const SHOWN_STDERR_CHARS = 600;

/** The last of what a program said on stderr, short enough for a message. */
export const shortStderr = (stderrTail: string): string =>
  stderrTail.trim().split("\n").slice(-6).join("\n").slice(-SHOWN_STDERR_CHARS);

/** What a session that is over only because its process is gone ended as. */
export const endOfExit = (
  exit: AgentExit,
  {
    successIs,
    message,
    wasStopped = false,
  }: { successIs: AgentEndReason; message: string; wasStopped?: boolean },
): [AgentEndReason, EndDetails] => {
  if (exit.startError) return ["not-started", { message: exit.startError }];
  const details = {
    ...withoutUndefined({ exitCode: exit.exitCode, signal: exit.signal }),
  };
  if (wasStopped) return ["interrupted", details];
  const said = shortStderr(exit.stderrTail);
  if (exit.exitCode === 0)
    return successIs === "completed"
      ? ["completed", details]
      : [successIs, { ...details, message: said === "" ? message : `${message}: ${said}` }];
  const how = exit.signal === undefined ? `exit code ${exit.exitCode}` : `signal ${exit.signal}`;
  return ["error", { ...details, message: said === "" ? `ended with ${how}` : `ended with ${how}: ${said}` }];
};
