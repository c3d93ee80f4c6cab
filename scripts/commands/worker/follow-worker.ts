import { systemClock } from "../../../core/clock.ts";
import { workersHome } from "../../../core/paths.ts";
import { getNamedWorker } from "../../../worker/state/resolve-name.ts";
import { workerFiles } from "../../../worker/state/worker-files.ts";
import type { CommandIo } from "../../command/define-command.ts";
import { followFile } from "./follow-file.ts";

export const FOLLOWED_NAME = [
  { name: "name", description: "Name of the worker", complete: "worker" },
] as const;

export const followOptions = (what: "lines" | "events") =>
  ({
    follow: { type: "boolean", short: "f", description: "Keep following until the worker ends or Ctrl-C" },
    lines: {
      type: "integer",
      short: "n",
      minimum: 0,
      default: 50,
      placeholder: "lines",
      description: `How many of the last ${what}`,
    },
  }) as const;

/** Shows the last lines of a worker's log or events, and, with `follow`, those that come. */
export const followWorker = async (
  { env, cwd, signal }: Pick<CommandIo, "env" | "cwd" | "signal">,
  { name, file, ...options }: { name: string; file: "log" | "events"; follow: boolean; lines: number },
  show: (line: string) => void,
): Promise<void> => {
  const home = workersHome(env);
  const worker = getNamedWorker({ home, cwd }, name);
  const path = workerFiles(home, worker.name)[file];
  await followFile({ clock: systemClock, signal, home }, { name: worker.name, path, ...options }, show);
};

/** An event that a full disk cut short is still said, as what is there of it. */
export const parseEvent = (line: string): Record<string, unknown> => {
  try {
    return JSON.parse(line) as Record<string, unknown>;
  } catch {
    return { type: "damaged", line };
  }
};
