import { createContext, Script } from "node:vm";

// Not by `instanceof Error`: what made it may be another context than ours.
const isTimeout = (error: unknown): boolean =>
  (error as { code?: unknown } | undefined)?.code === "ERR_SCRIPT_EXECUTION_TIMEOUT";

const RUN = new Script("run()");

/**
 * Runs something that may never end, on this thread; a regular expression that backtracks is interrupted, too.
 * @returns undefined when it took longer than the limit
 */
export const withTimeLimit = <T>(timeoutMs: number, run: () => T): { value: T } | undefined => {
  try {
    return { value: RUN.runInContext(createContext({ run }), { timeout: timeoutMs }) as T };
  } catch (error) {
    if (isTimeout(error)) return undefined;
    throw error;
  }
};

const SLICE_MS = 500;

/**
 * Goes through steps of which each may never end. A limit is set for many at once: it costs more than most of them.
 * @returns false when one of them took longer than the limit
 */
export const runWithTimeLimit = (steps: Iterator<void>, timeoutMs: number): boolean => {
  const runSlice = (): boolean => {
    const until = performance.now() + SLICE_MS;
    while (performance.now() < until) if (steps.next().done === true) return true;
    return false;
  };
  for (;;) {
    const slice = withTimeLimit(SLICE_MS + timeoutMs, runSlice);
    if (!slice) return false;
    if (slice.value) return true;
  }
};
