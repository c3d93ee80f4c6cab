import { systemClock } from "../../../core/clock.ts";
import { EXIT } from "../../../core/exit-codes.ts";
import { workersHome } from "../../../core/paths.ts";
import { workerFiles } from "../../../worker/state/worker-files.ts";
import { getNamedWorker } from "../../../worker/state/resolve-name.ts";
import { defineCommand } from "../../command/define-command.ts";
import { followFile } from "./follow-file.ts";
import { logLines } from "./log-lines.ts";

export const log = defineCommand({
  description:
    "On a terminal in local time and in colour; elsewhere the lines of the file. --json gives events.",
  args: [{ name: "name", description: "Name of the worker", complete: "worker" }],
  options: {
    follow: { type: "boolean", short: "f", description: "Go on until the worker ends or Ctrl-C" },
    lines: {
      type: "integer",
      short: "n",
      minimum: 0,
      default: 50,
      placeholder: "lines",
      description: "How many of the last lines",
    },
  },
  json: "lines",
  examples: ["worker log docs -n 100", "worker log docs -f"],
  run: async ({ args, options }, { env, cwd, reporter, signal }) => {
    const home = workersHome(env);
    const worker = getNamedWorker({ home, cwd }, args.name);
    const files = workerFiles(home, worker.name);
    const show = (line: string) => {
      if (reporter.isJson) reporter.json(parseEvent(line));
      else if (!reporter.isTerminal) reporter.text(line);
      else for (const shown of logLines(line, { ...reporter, nowMs: Date.now() })) reporter.text(shown);
    };
    await followFile(
      { clock: systemClock, signal, home },
      { name: worker.name, path: reporter.isJson ? files.events : files.log, ...options },
      show,
    );
    return EXIT.yes;
  },
});

/** An event that a full disk cut short is still said, as what is there of it. */
const parseEvent = (line: string): unknown => {
  try {
    return JSON.parse(line);
  } catch {
    return { type: "damaged", line };
  }
};
