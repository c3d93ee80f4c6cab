import type { SiteFeed, SiteState } from "../publishing/site-feed.ts";
import type { SiteDirectory } from "./site-directory.ts";

export type SiteWatch = {
  /** Takes over what the database says now; resolves when every later request here is answered by it. */
  refresh: (site: string) => Promise<void>;
  /** Looks at every remembered site at once. */
  check: () => Promise<void>;
  stop: () => Promise<void>;
};

type Ports = {
  directory: Pick<SiteDirectory, "refresh" | "remembered" | "liveId">;
  feed: SiteFeed;
  onError: (error: unknown) => void;
};

/** How long this server may serve what another has replaced, should the message about it be lost. */
const CHECK_MS = 1000;

/**
 * Keeps a server's memory of sites as fresh as the database: a message about a change refreshes that site,
 * and once a second one query compares the versions of all remembered ones, so that a lost message costs a
 * second. While the database is unavailable what is remembered is served on.
 */
export const watchSites = async (
  { directory, feed, onError }: Ports,
  { everyMs = CHECK_MS }: { everyMs?: number } = {},
): Promise<SiteWatch> => {
  const seen = new Map<string, SiteState | undefined>();
  let running: Promise<void> | undefined;

  /** Loaded on demand and not compared before: the deployment alone tells, if nobody says that it changed. */
  const isSame = (site: string, now: SiteState | undefined, isTold: boolean): boolean => {
    if (!seen.has(site)) return !isTold && now?.active !== undefined && directory.liveId(site) === now.active;
    const before = seen.get(site);
    return before?.version === now?.version && before?.active === now?.active;
  };

  const compare = async (names: readonly string[], isTold = false): Promise<void> => {
    if (names.length === 0) return;
    // Read before the refresh: a change in between shows as a difference at the next look.
    const states = await feed.readStates(names);
    for (const site of names) {
      const state = states.get(site);
      if (!isSame(site, state, isTold)) await directory.refresh(site);
      seen.set(site, state);
    }
  };

  const checkAll = async (): Promise<void> => {
    const names = directory.remembered();
    for (const site of seen.keys()) if (!names.includes(site)) seen.delete(site);
    await compare(names);
  };
  const check = (): Promise<void> =>
    (running ??= checkAll().finally(() => {
      running = undefined;
    }));
  const inBackground = (work: Promise<void>): void => {
    work.catch(onError);
  };

  const listening = await feed.listen({
    onMessage: (site) => inBackground(compare(directory.remembered().includes(site) ? [site] : [], true)),
    onGap: () => inBackground(check()),
  });
  const timer = setInterval(() => inBackground(check()), everyMs);
  timer.unref();

  return {
    check,
    refresh: async (site) => {
      const state = (await feed.readStates([site])).get(site);
      await directory.refresh(site);
      seen.set(site, state);
    },
    stop: async () => {
      clearInterval(timer);
      await listening.stop();
      await running?.catch(() => {});
    },
  };
};
