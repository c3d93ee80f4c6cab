import type { Clock } from "../../../core/clock.ts";
import { followLog, readLastLines } from "../../../worker/state/follow-log.ts";
import { findState, isSupervised } from "../../../worker/state/worker-store.ts";

type Followed = { name: string; path: string; lines: number; follow: boolean };

/** Shows the last lines of a worker's file and, where asked, what is added until its supervisor has ended. */
export const followFile = async (
  { clock, signal, home }: { clock: Clock; signal: AbortSignal; home: string },
  { name, path, lines: count, follow }: Followed,
  show: (line: string) => void,
): Promise<void> => {
  const { lines, offset, rotated } = readLastLines(path, count);
  for (const line of lines) show(line);
  if (!follow) return;
  const isOver = () => {
    const now = findState(home, name); // nothing once it was removed
    return !now || !isSupervised(home, now);
  };
  await followLog({ clock, signal, isOver }, { path, offset, rotated }, (text) => {
    for (const line of text.trimEnd().split("\n")) show(line);
  });
};
