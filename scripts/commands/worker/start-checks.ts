import { AGENTS, type AgentId } from "../../../agents/index.ts";
import { homeFolder } from "../../../core/paths.ts";
import type { StartRequest } from "../../../worker/loop/start-request.ts";
import { type StartCheck, checkStart } from "../../../worker/start/check-start.ts";
import type { CommandIo } from "../../command/define-command.ts";
import { findCredentials } from "../../init/credentials.ts";

/** Looks for what will not work in the night, and says it; what is sure to fail is left to the refusal, unless it is to be told. */
export const tellStartChecks = async (
  { env, reporter }: CommandIo,
  request: StartRequest,
  { isFatalTold }: { isFatalTold: boolean },
): Promise<StartCheck[]> => {
  const checks = await checkStart(
    {
      env,
      now: Date.now,
      uid: process.getuid?.(),
      findCredentials: (id, own) =>
        findCredentials(AGENTS[id as AgentId], { env: own, home: homeFolder(own) }),
    },
    request,
  );
  for (const { area, isFatal, message } of checks)
    if (isFatalTold || !isFatal)
      reporter.note(`${isFatal ? "sure to fail" : "warning"}, ${area}: ${message}`);
  return checks;
};
