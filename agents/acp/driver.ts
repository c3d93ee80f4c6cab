import { AppError } from "../../core/errors.ts";
import type { Driver, SessionRequest } from "../driver.ts";
import { startAcpSession } from "./session.ts";

const programOf = ({ settings }: Pick<SessionRequest, "settings">) => {
  if (!settings.command)
    throw new AppError(
      "config",
      'an agent with driver "acp" needs a `command`, e.g. { driver: "acp", command: "gemini", args: ["--experimental-acp"] }',
    );
  return { command: settings.command, args: settings.args ?? [] };
};

/** Any agent that speaks the Agent Client Protocol (version 1) on its stdin and stdout, declared by its command. */
export const acpDriver: Driver = {
  id: "acp",
  title: "Agent Client Protocol",
  capabilities: {
    liveContext: "live",
    windowSource: "the agent's `usage_update`, where it sends one; else `contextWindow` in the config",
    gentleStop: "`session/cancel` once the running tool calls have ended",
    closingNote: "same process",
    resume: true,
    cost: "reported",
    rateLimitReset: false,
    asksLeave: true,
    exitMeaning: "says nothing (it is a server); the `stopReason` of its turn counts",
  },
  describe: programOf,
  start: async (request) => startAcpSession(request, programOf(request)),
};
