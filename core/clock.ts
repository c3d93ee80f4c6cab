/** The one source of time; a field of every port set, so that nothing deep inside reads the clock. */
export type Clock = {
  /** milliseconds since the epoch */
  now: () => number;
  /** resolves after `ms`, or at once when `signal` aborts (never rejects) */
  sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
};

const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * The real clock. Long sleeps are cut into pieces of at most a minute against the wall clock, so that a
 * machine that was asleep, or whose clock was set, wakes on time.
 */
export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: async (ms, signal) => {
    const until = Date.now() + ms;
    for (;;) {
      const left = until - Date.now();
      if (left <= 0 || signal?.aborted) return;
      await pause(Math.min(left, 60_000, MAX_TIMER_MS), signal);
    }
  },
};

const pause = (ms: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal?.addEventListener("abort", done, { once: true });
  });
