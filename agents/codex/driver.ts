import type { Driver } from "../driver.ts";
import { findAgent } from "../find-program.ts";
import { codexArguments, startCodexSession } from "./session.ts";

const PROGRAM = "codex";

/** Codex CLI: `codex exec --json`, watched through the rollout file it keeps of the thread. */
export const codexDriver: Driver = {
  id: "codex",
  title: "Codex CLI",
  capabilities: {
    liveContext: "live",
    windowSource: "`model_context_window` in the thread's rollout file",
    gentleStop: "SIGINT once the running tool calls have ended",
    closingNote: "resumed conversation",
    resume: true,
    cost: "estimated",
    rateLimitReset: true,
    exitMeaning: "0 is a completed turn, 1 a failed or interrupted one",
  },
  find: (settings, env) => findAgent(settings.command ?? PROGRAM, env),
  describe: (request) => ({
    command: request.settings.command ?? PROGRAM,
    args: codexArguments(request),
  }),
  start: async (request) => startCodexSession(request, request.settings.command ?? PROGRAM),
};
