import type { StopRequest } from "../session/watch-agent.ts";

/** The one place where requests to stop a worker meet, gentle or at once, from files and from signals. */
export type StopSwitch = {
  /** the strongest request so far */
  current: () => StopRequest | undefined;
  /** resolves at the first request */
  requested: Promise<StopRequest>;
  /** resolves when the end is asked for at once, be it first or after a gentle request */
  nowRequested: Promise<StopRequest>;
  /** aborts every pause of the loop */
  wake: AbortSignal;
  press: (isNow: boolean) => boolean;
};

/** `onPress` is told each request that changes something. */
export const createStopSwitch = (onPress: (isNow: boolean) => void): StopSwitch => {
  const wake = new AbortController();
  let current: StopRequest | undefined;
  let resolveFirst: (request: StopRequest) => void = () => {};
  let resolveNow: (request: StopRequest) => void = () => {};
  const requested = new Promise<StopRequest>((resolve) => {
    resolveFirst = resolve;
  });
  const nowRequested = new Promise<StopRequest>((resolve) => {
    resolveNow = resolve;
  });
  return {
    current: () => current,
    requested,
    nowRequested,
    wake: wake.signal,
    press: (isNow) => {
      if (current && (current.isNow || !isNow)) return false;
      current = { reason: "stopped", isNow };
      onPress(isNow);
      resolveFirst(current);
      if (isNow) resolveNow(current);
      wake.abort();
      return true;
    },
  };
};
