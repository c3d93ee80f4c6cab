import type { Clock } from "../../core/clock.ts";
import { errorText } from "../../core/errors.ts";
import { isPassing } from "../../core/passing-failure.ts";

/** What a worker waits for, and until when it does before it tries again. */
export type Wait = { reason: string; untilMs: number };

export type Patience = {
  clock: Pick<Clock, "now" | "sleep">;
  /** ends the waiting */
  stop: AbortSignal;
  /** the first pause; it doubles */
  backoffSeconds: number;
  /** what fails past this, in milliseconds since the epoch, is not tried again; without it a day after the first failure */
  deadlineMs: number;
  /** told of each wait, and of its end */
  onWait: (wait: Wait | undefined) => void;
};

const LEAST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 600_000;
/** Where no total time is set: nobody waits for an outage for ever. */
export const LONGEST_OUTAGE_MS = 24 * 3_600_000;

/** How long to wait before the next try after so many failures of something that passes by itself. */
export const outagePauseMs = (backoffSeconds: number, failures: number): number =>
  Math.min(
    LONGEST_PAUSE_MS,
    Math.max(LEAST_PAUSE_MS, backoffSeconds * 1000) * 2 ** Math.min(30, failures - 1),
  );

/** Runs a step that may be repeated, again and again while it fails of something that passes by itself. */
export const tryAgain = async <T>(patience: Patience, run: () => Promise<T>): Promise<T> => {
  const { clock, stop, onWait } = patience;
  const giveUpMs = Math.min(patience.deadlineMs, clock.now() + LONGEST_OUTAGE_MS);
  for (let failures = 1; ; failures++) {
    try {
      return await run();
    } catch (error) {
      const pauseMs = outagePauseMs(patience.backoffSeconds, failures);
      const untilMs = clock.now() + pauseMs;
      if (!isPassing(error) || stop.aborted || untilMs > giveUpMs) throw error;
      onWait({ reason: errorText(error), untilMs });
      await clock.sleep(pauseMs, stop);
      onWait(undefined);
      if (stop.aborted) throw error;
    }
  }
};
