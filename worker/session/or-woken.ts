import type { Clock } from "../../core/clock.ts";

/**
 * What `promise` resolves with, or undefined when time has passed or a signal aborts. Nothing stays behind:
 * an agent says a hundred thousand things a night, and the signals live as long as its worker.
 */
export const orWoken = async <T>(
  clock: Clock,
  promise: Promise<T>,
  { ms, signals }: { ms: number; signals: readonly AbortSignal[] },
): Promise<T | undefined> => {
  const over = new AbortController();
  const wake = () => over.abort();
  for (const signal of signals)
    if (signal.aborted) wake();
    else signal.addEventListener("abort", wake);
  try {
    return await Promise.race([promise, clock.sleep(ms, over.signal).then(() => undefined)]);
  } finally {
    for (const signal of signals) signal.removeEventListener("abort", wake);
    over.abort();
  }
};
