import type { Driver } from "../driver.ts";
import { startJsonLinesSession } from "./json-lines-session.ts";
import { commandArguments, commandSettings } from "./settings.ts";
import { startTextSession } from "./text-session.ts";

/** Any program the config declares: its prompt on stdin or as an argument, or the JSON-lines protocol. */
export const commandDriver: Driver = {
  id: "command",
  title: "A command of your own",
  capabilities: {
    liveContext: "live",
    windowSource: "the program says it (JSON-lines protocol), or `contextWindow` in the config",
    gentleStop: "a `stop` line between tool calls (JSON-lines protocol); SIGINT (text)",
    closingNote: "same process",
    resume: true,
    cost: "reported",
    rateLimitReset: true,
    exitMeaning:
      "text: 0 is a completed session. JSON-lines: the `turn-end` line counts, leaving without it is an error",
  },
  describe: (request) => {
    const settings = commandSettings(request.settings);
    return { command: settings.command, args: commandArguments(settings, request) };
  },
  start: async (request) => {
    const settings = commandSettings(request.settings);
    const program = { command: settings.command, args: commandArguments(settings, request) };
    return settings.protocol === "jsonl"
      ? startJsonLinesSession(request, program)
      : startTextSession(request, { ...program, takesStdin: settings.prompt === "stdin" });
  },
};
