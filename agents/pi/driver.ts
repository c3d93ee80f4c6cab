import type { Driver } from "../driver.ts";
import { piArguments, startPiSession } from "./session.ts";

const PROGRAM = "pi";

/** pi, through its RPC mode: one process for the work and the closing note. */
export const piDriver: Driver = {
  id: "pi",
  title: "pi",
  capabilities: {
    liveContext: "live",
    windowSource: "`contextWindow` of the model in use, asked from pi",
    gentleStop: "`abort` once the running tool calls have ended",
    closingNote: "same process",
    resume: true,
    cost: "reported",
    rateLimitReset: false,
    exitMeaning: "says nothing (0 after a model error, too); the last message's stop reason counts",
  },
  describe: (request) => ({ command: request.settings.command ?? PROGRAM, args: piArguments(request) }),
  start: async (request) => startPiSession(request, request.settings.command ?? PROGRAM),
};
