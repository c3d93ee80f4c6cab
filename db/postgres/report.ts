import { AppError } from "../../core/errors.ts";
import type { Log } from "../../core/log.ts";
import { refusesOneStatement } from "./failure.ts";

const SAY_AGAIN_MS = 60_000;

/**
 * Says once that the database is unavailable, and once that it is back. What it refuses while it serves the rest
 * (changes on a replica, a statement that is too slow) is said once a minute for each reason.
 */
export const createReport = ({ log, now }: { log: Log; now: () => number }, target: string) => {
  let isAway = false;
  const sayAgainAt = new Map<string, number>();

  const refused = ({ message, cause }: AppError): void => {
    const reason = cause instanceof Error && "code" in cause ? String(cause.code) : message;
    if (now() < (sayAgainAt.get(reason) ?? 0)) return;
    sayAgainAt.set(reason, now() + SAY_AGAIN_MS);
    log.warn({ database: target, why: message }, "the database refuses what it was asked");
  };

  return {
    served: () => {
      if (isAway) log.info({ database: target }, "the database serves again");
      isAway = false;
    },
    failed: (failure: unknown) => {
      if (!(failure instanceof AppError) || failure.code !== "unavailable") return;
      if (refusesOneStatement(failure.cause)) return refused(failure);
      if (!isAway) log.warn({ database: target, why: failure.message }, "the database does not serve");
      isAway = true;
    },
  };
};
