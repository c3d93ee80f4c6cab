import { systemClock } from "../../../core/clock.ts";
import { workersHome } from "../../../core/paths.ts";
import { followLog, readLastLines } from "../../../worker/state/follow-log.ts";
import { getNamedWorker } from "../../../worker/state/resolve-name.ts";
import { workerFiles } from "../../../worker/state/worker-files.ts";
import { findState, isSupervised } from "../../../worker/state/worker-store.ts";
import type { CommandIo } from "../../command/define-command.ts";

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

/** Shows the last lines of a worker's log or events and, with `follow`, what is added until its supervisor has ended. */
export const followWorker = async (
  { env, cwd, signal }: Pick<CommandIo, "env" | "cwd" | "signal">,
  given: { name: string; file: "log" | "events"; follow: boolean; lines: number },
  show: (line: string) => void,
): Promise<void> => {
  const home = workersHome(env);
  const { name } = getNamedWorker({ home, cwd }, given.name);
  const path = workerFiles(home, name)[given.file];
  const { lines, offset, rotated } = readLastLines(path, given.lines);
  for (const line of lines) show(line);
  if (!given.follow) return;
  const isOver = () => {
    const now = findState(home, name); // nothing once it was removed
    return !now || !isSupervised(home, now);
  };
  await followLog({ clock: systemClock, signal, isOver }, { path, offset, rotated }, (text) => {
    for (const line of text.trimEnd().split("\n")) show(line);
  });
};

/** An event that a full disk cut short is still said, as what is there of it. */
export const parseEvent = (line: string): Record<string, unknown> => {
  try {
    return JSON.parse(line) as Record<string, unknown>;
  } catch {
    return { type: "damaged", line };
  }
};
