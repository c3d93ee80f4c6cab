import { errorText } from "../../core/errors.ts";
import { errorFingerprint } from "../loop/decide-next.ts";
import { carryOut } from "./carry-out.ts";
import { claimDirs } from "./claim-dirs.ts";
import { type SteerPorts, type Watched, runRound } from "./round.ts";
import type { SteerSettings } from "./steer-settings.ts";

/**
 * The loop that looks after workers: claims its directories, then looks, acts and pauses until the signal
 * aborts, or once. No model is asked anything.
 * @throws AppError `locked` when another steerer watches one of the directories
 */
export const steer = async (
  ports: SteerPorts,
  settings: SteerSettings,
  {
    isOnce,
    signal,
    onRound,
  }: { isOnce: boolean; signal: AbortSignal; onRound: (watched: readonly Watched[]) => void },
): Promise<readonly Watched[]> => {
  const claim = await claimDirs(ports, settings.dirs);
  let carrying: { close: () => Promise<void> } | undefined;
  try {
    if (!isOnce)
      ports.log.tell("watching", { message: `watching ${settings.dirs.join(", ")}`, dirs: settings.dirs });
    if (!isOnce) carrying = carryOut(ports, settings);
    let watched: readonly Watched[] = [];
    let problem: string | undefined;
    for (;;) {
      try {
        watched = await runRound(ports, settings);
        problem = undefined;
      } catch (error) {
        // A full disk, a config being edited, a folder that went: the next round may find it mended.
        if (isOnce) throw error;
        const kind = errorFingerprint(errorText(error));
        if (kind !== problem) ports.log.tell("round-failed", { message: errorText(error) });
        problem = kind;
      }
      onRound(watched);
      if (isOnce || signal.aborted) return watched;
      await ports.clock.sleep(settings.intervalMs, signal);
      if (signal.aborted) return watched;
    }
  } finally {
    await carrying?.close();
    claim.release();
  }
};

/** Workers that wait for a person. */
export const needPerson = (watched: readonly Watched[]): Watched[] =>
  watched.filter(
    ({ worker, settled }) =>
      settled !== undefined ||
      worker.status === "crashed" ||
      worker.status === "failed" ||
      worker.status === "stalled",
  );
