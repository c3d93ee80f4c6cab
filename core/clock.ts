import { setTimeout as delay } from "node:timers/promises";

/** The one source of time; a field of every port set, so that nothing deep inside reads the clock. */
export type Clock = {
  /** milliseconds since the epoch */
  now: () => number;
  /** milliseconds on a clock that nobody sets and that stands still while the machine sleeps; for spans only */
  elapsed: () => number;
  /** resolves after `ms`, or at once when `signal` aborts (never rejects) */
  sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
};

/** A time as APIs and logs write it. */
export const iso = (ms: number): string => new Date(ms).toISOString();

const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * The real clock. Long sleeps are cut into pieces of at most a minute: a machine that was asleep wakes on
 * time by the wall clock, and a wall clock that was set back prolongs nothing.
 */
export const systemClock: Clock = createClock({ now: () => Date.now(), elapsed: () => performance.now() });

/**
 * A clock whose sleeps end when either of its two times has passed, whichever comes first. It looks at them
 * at least every `pieceMs`.
 */
export function createClock({
  now,
  elapsed,
  pieceMs = 60_000,
}: Pick<Clock, "now" | "elapsed"> & { pieceMs?: number }): Clock {
  return {
    now,
    elapsed,
    sleep: async (ms, signal) => {
      const until = now() + ms;
      const untilElapsed = elapsed() + ms;
      for (;;) {
        const left = Math.min(until - now(), untilElapsed - elapsed());
        if (left <= 0 || signal?.aborted) return;
        await delay(Math.min(left, pieceMs, MAX_TIMER_MS), undefined, signal ? { signal } : {}).catch(
          () => {},
        );
      }
    },
  };
}

/** What `promise` resolves with, or undefined after `ms`; leaves no timer behind that would hold the process. */
export const orAfter = async <T>(clock: Clock, promise: Promise<T>, ms: number): Promise<T | undefined> => {
  const timer = new AbortController();
  try {
    return await Promise.race([promise, clock.sleep(ms, timer.signal).then(() => undefined)]);
  } finally {
    timer.abort();
  }
};
