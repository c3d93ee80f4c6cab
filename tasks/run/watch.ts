import { watch } from "node:fs";
import type { Clock } from "../../core/clock.ts";

const QUIET_MS = 120;
const IGNORED = /^(?:\.git|\.nightshift|node_modules)(?:\/|$)/;

/**
 * Calls `run` now and again whenever a file of the project changes, one call at a time, until the signal
 * aborts. What a run itself writes (`isOutput`) starts no other.
 */
export const watchAndRun = async (
  { clock, signal }: { clock: Clock; signal: AbortSignal },
  { root, isInput, run }: { root: string; isInput: (file: string) => boolean; run: () => Promise<void> },
): Promise<void> => {
  let wake: (() => void) | undefined;
  let isDirty = true;
  const watcher = watch(root, { recursive: true }, (_, name) => {
    const file = (name ?? "").replaceAll("\\", "/");
    if (IGNORED.test(file) || !isInput(file)) return;
    isDirty = true;
    wake?.();
  });
  signal.addEventListener("abort", () => wake?.(), { once: true });
  try {
    while (!signal.aborted) {
      if (!isDirty)
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      if (signal.aborted) return;
      // An editor writes a file in several steps.
      await clock.sleep(QUIET_MS, signal);
      isDirty = false;
      await run();
    }
  } finally {
    watcher.close();
  }
};
