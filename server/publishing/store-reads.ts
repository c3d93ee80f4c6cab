import { named } from "../../db/rows.ts";
import type { Statements } from "../../db/statements.ts";
import { createManifestCache } from "./manifest-cache.ts";
import {
  type DeploymentRow,
  EVENT_COLUMNS,
  MISSING,
  NEEDED,
  type SiteRow,
  SUMMARY_COLUMNS,
  type SummaryRow,
  toDeployment,
  toSite,
  toSummary,
} from "./store-rows.ts";
import type { PublishEvent, PublishingStore } from "./store.ts";

const SITE_COLUMNS = "name, created_at, updated_at, active_deployment";

/** Everything that single statements read, the same on both databases. */
export const createReads = (db: Statements) => {
  const manifests = createManifestCache();
  const summaries = async (where: string, values: string[]) =>
    (await db.all<SummaryRow>(`SELECT ${SUMMARY_COLUMNS} FROM deployments ${where}`, values)).map(toSummary);
  const loadManifest = async (id: string, digest: string) => {
    const known = manifests.find(id, digest);
    if (known) return known;
    const row = await db.get<{ manifest: string }>(
      "SELECT manifest FROM deployments WHERE id = $1 AND digest = $2",
      [id, digest],
    );
    return manifests.keep(id, digest, row?.manifest);
  };
  return {
    findSite: async (name) => {
      const row = await db.get<SiteRow>(`SELECT ${SITE_COLUMNS} FROM sites WHERE name = $1`, [name]);
      return row && toSite(row);
    },
    listSites: async () => {
      const [actives, rows] = await Promise.all([
        summaries("WHERE status = 'active'", []),
        db.all<SiteRow & { deployments: number }>(
          `SELECT ${SITE_COLUMNS}, (SELECT count(*) FROM deployments d WHERE d.site = s.name) AS deployments FROM sites s ORDER BY updated_at DESC, name`,
        ),
      ]);
      const active = new Map(actives.map((summary) => [summary.site, summary]));
      return rows.map((row) => ({
        ...toSite(row),
        deployments: row.deployments,
        active: active.get(row.name),
      }));
    },
    listDeployments: (site) => summaries("WHERE site = $1 ORDER BY number DESC", [site]),
    listOfRun: (run) => summaries("WHERE run = $1 ORDER BY number DESC", [run]),
    findDeployment: async (id) => {
      const row = await db.get<DeploymentRow>(
        `SELECT ${SUMMARY_COLUMNS}, checks FROM deployments WHERE id = $1`,
        [id],
      );
      return row && toDeployment(row, await loadManifest(id, row.digest));
    },
    listMissing: (id) => db.all(MISSING, [id]),
    listEvents: async (site, limit) => {
      const rows = await db.all<object>(
        `SELECT ${EVENT_COLUMNS} FROM publish_events WHERE site = $1 ORDER BY number DESC LIMIT $2`,
        [site, limit],
      );
      return rows.map((row) => named<PublishEvent>(row));
    },
    listCandidates: (site) => summaries("WHERE site = $1", [site]),
    listUnused: (before) =>
      db.all(`SELECT sha256, size FROM blobs b WHERE used_at <= $1 AND NOT ${NEEDED}`, [before]),
  } satisfies Partial<PublishingStore>;
};
