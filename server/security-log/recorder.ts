import type { SecurityEvent } from "./chain.ts";
import type { SecurityLogStore } from "./store.ts";

export type SecurityLog = {
  store: SecurityLogStore;
  /** Writes what happened down; resolves when it is on disk, and never fails. */
  note: (event: Omit<SecurityEvent, "at">) => Promise<void>;
  /** Writes down what was only counted so far. */
  flush: () => Promise<void>;
  close: () => Promise<void>;
};

type Ports = {
  store: SecurityLogStore;
  now: () => number;
  /** told when the log cannot be written; what happened has happened */
  onError: (error: unknown) => void;
};

type Noted = Omit<SecurityEvent, "at">;

/** how long repeats of the same are only counted */
const WINDOW_MS = 10 * 60_000;
/** how many different things are told of one by one in that time; the others are counted together */
const MAX_TOLD = 20;
const OTHERS = "others";

/** What somebody outside can make happen as often as they like: told once, then counted. */
const isEndless = ({ outcome, event }: Noted): boolean => outcome === "refused" || event === "steering";

/**
 * The log as the server writes it. A storm of refusals fills neither the disk nor the log, in which it would
 * push out what matters: the first of its kind is a line, its repeats are a number.
 */
export const createSecurityLog = ({ store, now, onError }: Ports): SecurityLog => {
  const told = new Map<string, { event: Noted; again: number }>();

  const add = async (events: SecurityEvent[]): Promise<void> => {
    if (events.length === 0) return;
    try {
      await store.add(events);
    } catch (error) {
      onError(error);
    }
  };

  const isRepeat = (event: Noted): boolean => {
    const { principal, address, status } = event;
    const known = told.get(JSON.stringify([event.event, principal, address, status]));
    if (known) known.again += 1;
    return known !== undefined;
  };

  const remember = (event: Noted): boolean => {
    const { principal, address, status } = event;
    if (told.size < MAX_TOLD) {
      told.set(JSON.stringify([event.event, principal, address, status]), { event, again: 0 });
      return true;
    }
    const others = told.get(OTHERS) ?? { event: { event: event.event, outcome: event.outcome }, again: 0 };
    others.event.subject = "several senders, counted together";
    others.again += 1;
    told.set(OTHERS, others);
    return false;
  };

  const flush = async (): Promise<void> => {
    const repeated = [...told.values()].filter(({ again }) => again > 0);
    told.clear();
    await add(repeated.map(({ event, again }) => ({ at: now(), ...event, again })));
  };

  const timer = setInterval(() => void flush(), WINDOW_MS);
  timer.unref();
  return {
    store,
    note: async (event) => {
      if (isEndless(event) && (isRepeat(event) || !remember(event))) return;
      await add([{ at: now(), ...event }]);
    },
    flush,
    close: async () => {
      clearInterval(timer);
      await flush();
    },
  };
};
