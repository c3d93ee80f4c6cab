import type { Clock } from "../../core/clock.ts";
import { AppError } from "../../core/errors.ts";
import { finishRun, giveBack } from "../hold-lease.ts";
import type { Queue } from "../queue.ts";
import type { Lease } from "../task.ts";
import type { ToldResult } from "./decide-result.ts";

const RETRY_MS = 1_000;

/**
 * Tells the queue the result of a run, once. A database that is away is waited for: the work is done, and
 * until somebody else takes the task over, this is its result.
 * @returns why it could not be told, if so
 */
export const reportResult = async (
  { clock, queue, giveUp }: { clock: Clock; queue: Queue; giveUp: AbortSignal },
  lease: Lease,
  result: ToldResult,
): Promise<string | undefined> => {
  for (;;) {
    try {
      const note = result.note ?? {};
      if (result.kind === "end") await finishRun(queue, lease, { ...note, ...result });
      else await giveBack(queue, lease, { ...note, ...result });
      return undefined;
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      if (error.code !== "unavailable" || giveUp.aborted) return error.message;
      await clock.sleep(RETRY_MS, giveUp);
    }
  }
};
