import type { Clock } from "../core/clock.ts";
import { AppError } from "../core/errors.ts";

const RETRY_MS = 1_000;

/**
 * Tells the queue something of a run. A database that is away is waited for: the work is done, and until
 * somebody else takes the task over, this is its result.
 * @returns why it could not be told, if so
 */
export const reportUntilHeard = async (
  { clock, giveUp }: { clock: Clock; giveUp: AbortSignal },
  report: () => Promise<void>,
): Promise<string | undefined> => {
  for (;;) {
    try {
      await report();
      return undefined;
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      if (error.code !== "unavailable" || giveUp.aborted) return error.message;
      await clock.sleep(RETRY_MS, giveUp);
    }
  }
};
