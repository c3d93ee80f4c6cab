import { setTimeout as pause } from "node:timers/promises";

const POLL_MS = 10;

/** Resolves with the first truthy answer of `look`; throws, naming what was waited for, after `timeoutMs`. */
export const waitFor = async <T>(
  what: string,
  look: () => T | undefined | false | null | Promise<T | undefined | false | null>,
  timeoutMs = 400_000,
): Promise<T> => {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const found = await look();
    if (found) return found;
    if (performance.now() > deadline) throw new Error(`waited ${timeoutMs} ms in vain for ${what}`);
    await pause(POLL_MS);
  }
};
