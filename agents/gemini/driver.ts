import type { Driver } from "../driver.ts";
import { geminiArguments, startGeminiSession } from "./session.ts";

const PROGRAM = "gemini";

/** Gemini CLI: headless with JSON lines, watched through the chat file it keeps of the conversation. */
export const geminiDriver: Driver = {
  id: "gemini",
  title: "Gemini CLI",
  capabilities: {
    liveContext: "live",
    windowSource: "Gemini CLI's own table (`tokenLimits.ts`); it tells the window nowhere",
    gentleStop: "SIGKILL once the running tool calls' results are on disk (it ignores SIGINT and SIGTERM)",
    closingNote: "resumed conversation",
    resume: true,
    cost: "estimated",
    rateLimitReset: true,
    exitMeaning: "0 is a completed turn; a `result` line with status `success` is what counts",
  },
  describe: (request) => ({
    command: request.settings.command ?? PROGRAM,
    args: geminiArguments(request),
  }),
  start: async (request) => startGeminiSession(request, request.settings.command ?? PROGRAM),
};
