import { defineCommand } from "../../command/define-command.ts";
import { FOLLOWED_NAME, followOptions, followWorker, parseEvent } from "./follow-worker.ts";
import { logLines } from "./log-lines.ts";

export const log = defineCommand({
  description:
    "On a terminal in local time and in colour; elsewhere the lines of the file. --json gives events.",
  args: FOLLOWED_NAME,
  options: followOptions("lines"),
  json: "lines",
  examples: ["worker log docs -n 100", "worker log docs -f"],
  run: async ({ args, options }, io) => {
    const { reporter } = io;
    const file = reporter.isJson ? "events" : "log";
    await followWorker(io, { name: args.name, file, ...options }, (line) => {
      if (reporter.isJson) reporter.json(parseEvent(line));
      else if (!reporter.isTerminal) reporter.text(line);
      else for (const shown of logLines(line, { ...reporter, nowMs: Date.now() })) reporter.text(shown);
    });
  },
});
