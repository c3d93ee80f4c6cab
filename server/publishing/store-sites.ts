import type { Postgres } from "../../db/postgres/postgres.ts";
import { insertion } from "../../db/rows.ts";
import type { Dialect } from "../../db/statements.ts";
import { get, run, type Steps } from "../../db/steps.ts";
import type { SiteState } from "./site-feed.ts";
import type { PublishEvent } from "./store.ts";

/** The messages that say what a site's visitors get has changed; each names the site. */
export const SITES_CHANNEL = "nightshift_sites";

export const tellSiteChanged = (dialect: Dialect, site: string): Steps<void> =>
  dialect.notify(SITES_CHANNEL, site);

/** Holds everybody else off this site until the transaction ends. False when there is none. */
export const lockSite = function* ({ forUpdate }: Dialect, site: string): Steps<boolean> {
  return (yield* get(`SELECT name FROM sites WHERE name = $1 ${forUpdate}`, [site])) !== undefined;
};

export const addEvent = function* (event: PublishEvent): Steps<void> {
  yield* run(...insertion("publish_events", event));
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
