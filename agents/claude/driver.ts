import type { Driver } from "../driver.ts";
import { claudeArguments, startClaudeSession } from "./session.ts";

const PROGRAM = "claude";

/** Claude Code, headless: `claude -p` with JSON lines in and out. */
export const claudeDriver: Driver = {
  id: "claude",
  title: "Claude Code",
  capabilities: {
    liveContext: "live",
    windowSource: "asked from Claude Code (`get_context_usage`), once a session",
    gentleStop:
      "a hook ends the turn after the tool call that is running or being written, which is never cut short",
    closingNote: "same process",
    resume: true,
    cost: "reported",
    rateLimitReset: true,
    exitMeaning: "0 says nothing (SIGINT gives 0 too); a `result` line with `is_error: false` is success",
  },
  describe: (request) => ({
    command: request.settings.command ?? PROGRAM,
    args: claudeArguments(request),
  }),
  start: async (request) => startClaudeSession(request, request.settings.command ?? PROGRAM),
};
