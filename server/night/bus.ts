/** What changed: of which run, and of what kind. */
export type Change = { run: string; kinds: string[] };

type Waiter = { host: string; wake: () => void };

/**
 * Who looks and who waits, on this server. On a database that servers share, the others' news come by a look every
 * two seconds while somebody waits, one for all of them.
 */
export const createNightBus = (
  findNews: (() => Promise<{ runs: string[]; hosts: string[] }>) | undefined,
  everyMs = 2_000,
) => {
  const listeners = new Set<(change: Change) => void>();
  const waiters = new Set<Waiter>();
  const ends = new Set<() => void>();
  let timer: ReturnType<typeof setInterval> | undefined;
  let isOver = false;
  let isLooking = false;

  const wakeHost = (host: string): void => {
    for (const waiter of waiters) if (waiter.host === host) waiter.wake();
  };
  const tell = (change: Change): void => {
    for (const listener of listeners) listener(change);
  };

  const look = async (): Promise<void> => {
    if (isLooking || !findNews) return;
    isLooking = true;
    try {
      const { runs, hosts } = await findNews();
      for (const run of runs) tell({ run, kinds: ["elsewhere"] });
      for (const host of hosts) wakeHost(host);
    } catch {
      // The database is away; the next look sees what came meanwhile.
    } finally {
      isLooking = false;
    }
  };
  const adjustTimer = (): void => {
    const isNeeded = findNews !== undefined && !isOver && listeners.size + waiters.size > 0;
    if (isNeeded && timer === undefined) {
      timer = setInterval(() => void look(), everyMs);
      timer.unref();
    }
    if (isNeeded) return;
    clearInterval(timer);
    timer = undefined;
  };

  return {
    tell,
    wakeHost,
    /** whether somebody looks at present */
    isWatched: (): boolean => listeners.size > 0,
    isOver: (): boolean => isOver,
    /** @param onEnd told when the server stops @returns what ends the listening */
    listen: (listener: (change: Change) => void, onEnd: () => void): (() => void) => {
      listeners.add(listener);
      ends.add(onEnd);
      adjustTimer();
      return () => {
        listeners.delete(listener);
        ends.delete(onEnd);
        adjustTimer();
      };
    },
    /** Resolves when there may be a command for a host, after the time, or when the asking one has gone. */
    waitFor: (host: string, ms: number, gone: AbortSignal): Promise<void> =>
      new Promise((resolve) => {
        const done = (): void => {
          clearTimeout(late);
          waiters.delete(waiter);
          ends.delete(done);
          gone.removeEventListener("abort", done);
          adjustTimer();
          resolve();
        };
        const waiter: Waiter = { host, wake: done };
        const late = setTimeout(done, ms);
        gone.addEventListener("abort", done, { once: true });
        waiters.add(waiter);
        ends.add(done);
        adjustTimer();
        if (isOver || gone.aborted) done();
      }),
    /** Lets everybody go who waits: the server stops. */
    close: (): void => {
      isOver = true;
      for (const end of ends) end();
      adjustTimer();
    },
  };
};

export type NightBus = ReturnType<typeof createNightBus>;
