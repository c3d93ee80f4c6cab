import type { Driver } from "../driver.ts";
import { agyArguments, startAgySession } from "./session.ts";

const PROGRAM = "agy";

/** Antigravity CLI, the successor of Gemini CLI: headless with JSON lines both ways, by its documentation. */
export const agyDriver: Driver = {
  id: "agy",
  title: "Antigravity CLI",
  capabilities: {
    liveContext: "live",
    windowSource: "the model's name where it is given; else `contextWindow` in the config",
    gentleStop: "SIGINT once the running tool calls have ended",
    closingNote: "resumed conversation",
    resume: true,
    cost: "estimated",
    rateLimitReset: true,
    exitMeaning: "0 says nothing (a tool that was denied gives 0, too); the `result` line counts",
  },
  describe: (request) => ({ command: request.settings.command ?? PROGRAM, args: agyArguments(request) }),
  start: async (request) => startAgySession(request, request.settings.command ?? PROGRAM),
};
