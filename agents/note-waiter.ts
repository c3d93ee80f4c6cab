import { orAfter, systemClock } from "../core/clock.ts";

/** Hands the one closing note to whoever waits for it; undefined when the time is over or the agent is gone. */
export const createNoteWaiter = () => {
  let settle: (note: string | undefined) => void = () => undefined;
  const note = new Promise<string | undefined>((resolve) => {
    settle = resolve;
  });
  return {
    answer: (text: string) => settle(text),
    close: () => settle(undefined),
    wait: (timeoutMs: number) => orAfter(systemClock, note, timeoutMs),
  };
};
