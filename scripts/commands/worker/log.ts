import { systemClock } from "../../../core/clock.ts";
import { EXIT } from "../../../core/exit-codes.ts";
import { workersHome } from "../../../core/paths.ts";
import { followLog, readLastLines } from "../../../worker/state/follow-log.ts";
import { workerFiles } from "../../../worker/state/worker-files.ts";
import { resolveName } from "../../../worker/state/resolve-name.ts";
import { findState, getWorker, isSupervised } from "../../../worker/state/worker-store.ts";
import { defineCommand } from "../../command/define-command.ts";

export const log = defineCommand({
  name: "worker log",
  summary: "Recent output of a worker",
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
    const worker = getWorker(home, resolveName({ home, cwd }, args.name));
    const path = workerFiles(home, worker.name).log;
    const show = (line: string) => reporter.answer({ line }, line);
    const { lines, offset, rotated } = readLastLines(path, options.lines);
    for (const line of lines) show(line);
    if (!options.follow) return EXIT.yes;
    const isOver = () => {
      const now = findState(home, worker.name); // nothing once it was removed
      return !now || !isSupervised(home, now);
    };
    await followLog({ clock: systemClock, signal, isOver }, { path, offset, rotated }, (text) => {
      for (const line of text.trimEnd().split("\n")) show(line);
    });
    return EXIT.yes;
  },
});
