import type { Clock } from "../../core/clock.ts";

/** Requests to stop a worker, as a session sees them. */
export type StopSignals = {
  /** aborted by the first request, gentle or not */
  asked: AbortSignal;
  /** aborted when the end is asked for at once, be it first or after a gentle request */
  now: AbortSignal;
  /** aborted when a gentle request has had its time, or with `now` */
  overdue: AbortSignal;
};

/** The one place where requests to stop a worker meet, from files and from signals. */
export type StopSwitch = {
  signals: StopSignals;
  press: (isNow: boolean) => void;
  /** leaves no timer behind */
  close: () => void;
};

/** `onPress` is told each request that changes something; `graceMs` is what a gentle one has. */
export const createStopSwitch = (
  { clock, graceMs }: { clock: Pick<Clock, "sleep">; graceMs: number },
  onPress: (isNow: boolean) => void,
): StopSwitch => {
  const asked = new AbortController();
  const now = new AbortController();
  const overdue = new AbortController();
  const over = new AbortController();
  return {
    signals: { asked: asked.signal, now: now.signal, overdue: overdue.signal },
    press: (isNow) => {
      if (now.signal.aborted || (asked.signal.aborted && !isNow)) return;
      onPress(isNow);
      if (isNow) {
        now.abort();
        overdue.abort();
      } else
        void clock.sleep(graceMs, AbortSignal.any([now.signal, over.signal])).then(() => overdue.abort());
      asked.abort();
    },
    close: () => over.abort(),
  };
};
