import type { Driver } from "../driver.ts";
import { opencodeArguments, startOpencodeSession } from "./session.ts";

const PROGRAM = "opencode";

/** opencode, through a server of its own (`opencode serve`) for each session. */
export const opencodeDriver: Driver = {
  id: "opencode",
  title: "opencode",
  capabilities: {
    liveContext: "live",
    windowSource: "`limit.context` of the model in use, asked from opencode",
    gentleStop: "`abort` once the running tool calls have ended",
    closingNote: "same process",
    resume: true,
    cost: "reported",
    rateLimitReset: true,
    exitMeaning: "says nothing (it is a server); the session's error or idle event counts",
  },
  describe: (request) => ({
    command: request.settings.command ?? PROGRAM,
    args: opencodeArguments(request),
  }),
  start: async (request) => startOpencodeSession(request, request.settings.command ?? PROGRAM),
};
