/** Requests to stop a worker, as a session sees them. */
export type StopSignals = {
  /** aborted by the first request, gentle or not */
  asked: AbortSignal;
  /** aborted when the end is asked for at once, be it first or after a gentle request */
  now: AbortSignal;
};

/** The one place where requests to stop a worker meet, from files and from signals. */
export type StopSwitch = { signals: StopSignals; press: (isNow: boolean) => void };

/** `onPress` is told each request that changes something. */
export const createStopSwitch = (onPress: (isNow: boolean) => void): StopSwitch => {
  const asked = new AbortController();
  const now = new AbortController();
  return {
    signals: { asked: asked.signal, now: now.signal },
    press: (isNow) => {
      if (now.signal.aborted || (asked.signal.aborted && !isNow)) return;
      onPress(isNow);
      if (isNow) now.abort();
      asked.abort();
    },
  };
};
