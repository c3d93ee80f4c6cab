import type { Postgres, Queries, Transaction } from "../../db/postgres/postgres.ts";
import type { SiteState } from "./site-feed.ts";
import { ADD_EVENT, eventValues } from "./store-rows.ts";
import type { PublishEvent } from "./store.ts";

/** The messages that say what a site's visitors get has changed; each names the site. */
export const SITES_CHANNEL = "nightshift_sites";

export const tellSiteChanged = (tx: Transaction, site: string): Promise<void> =>
  tx.notify(SITES_CHANNEL, site);

/** Holds everybody else off this site until the transaction ends. False when there is none. */
export const lockSite = async (tx: Transaction, site: string): Promise<boolean> =>
  (await tx.get("SELECT name FROM sites WHERE name = $1 FOR UPDATE", [site])) !== undefined;

export const addEvent = async (db: Queries, event: PublishEvent): Promise<void> => {
  await db.run(ADD_EVENT, eventValues(event));
};

/** The state of these sites; one that does not exist is absent. */
export const readSiteStates = async (
  db: Pick<Postgres, "all">,
  names: readonly string[],
): Promise<Map<string, SiteState>> => {
  const rows = await db.all<{ name: string; version: number; active_deployment: string | null }>(
    "SELECT name, version, active_deployment FROM sites WHERE name = ANY($1)",
    [names],
  );
  return new Map(
    rows.map(({ name, version, active_deployment }) => [
      name,
      { version, active: active_deployment ?? undefined },
    ]),
  );
};
