import type { Database } from "../../db/database.ts";
import type { Deployment, Site } from "./deployment.ts";
import { checkQuota, type Quota } from "./quota.ts";
import { holdWholeSite, measureKept } from "./sqlite-held.ts";
import { ADD_EVENT, DEPLOYMENT_COLUMNS, deploymentValues, eventValues } from "./store-rows.ts";
import type { CreateOutcome, ImportedDeployment, NewDeployment, PublishEvent, RequestKey } from "./store.ts";

const insertDeployment = (db: Database, deployment: Deployment): void => {
  const values = deploymentValues(deployment);
  db.run(
    `INSERT INTO deployments (${DEPLOYMENT_COLUMNS}) VALUES (${values.map(() => "?").join(", ")})`,
    values,
  );
  for (const { sha256, size } of deployment.manifest) {
    db.run("INSERT OR IGNORE INTO deployment_blobs (deployment, sha256, size) VALUES (?, ?, ?)", [
      deployment.id,
      sha256,
      size,
    ]);
    // Bytes that a waiting deployment counts on are in use from now.
    db.run("UPDATE blobs SET used_at = max(used_at, ?) WHERE sha256 = ?", [deployment.createdAt, sha256]);
  }
};

const insertSite = (db: Database, { name, createdAt, updatedAt, activeDeploymentId }: Site): void => {
  db.run(
    "INSERT OR IGNORE INTO sites (name, created_at, updated_at, active_deployment) VALUES (?, ?, ?, ?)",
    [name, createdAt, updatedAt, activeDeploymentId ?? null],
  );
};

const findReplay = (db: Database, { token, key, request }: RequestKey): CreateOutcome | undefined => {
  const before = db.get<{ request: string; deployment: string }>(
    "SELECT request, deployment FROM publish_requests WHERE token = ? AND key = ?",
    [token, key],
  );
  if (!before) return undefined;
  if (before.request !== request) return { kind: "key-reused" };
  return { kind: "replayed", deploymentId: before.deployment };
};

/** Creates a waiting deployment (and its site, when it is the first), to be run in one transaction. */
export const createInTransaction = (
  db: Database,
  deployment: NewDeployment,
  { key, quota }: { key: RequestKey | undefined; quota: Quota | undefined },
): CreateOutcome => {
  const replay = key && findReplay(db, key);
  if (replay) return replay;
  if (quota) checkQuota(deployment.site, measureKept(db, deployment.site, deployment.manifest), quota);
  const { id, site, createdAt: at, createdBy: by, message } = deployment;
  insertSite(db, { name: site, createdAt: at, updatedAt: at });
  insertDeployment(db, { ...deployment, status: "pending" });
  if (key)
    db.run(
      "INSERT INTO publish_requests (token, key, request, deployment, created_at) VALUES (?, ?, ?, ?, ?)",
      [key.token, key.key, key.request, id, at],
    );
  db.run(ADD_EVENT, eventValues({ at, site, deployment: id, action: "created", by, detail: message }));
  return { kind: "created" };
};

/** Adds a site with its history, to be run in one transaction. False when the site is there already. */
export const importInTransaction = (
  db: Database,
  site: Site,
  { deployments, event }: { deployments: readonly ImportedDeployment[]; event: PublishEvent },
): boolean => {
  if (db.get("SELECT name FROM sites WHERE name = ?", [site.name])) return false;
  insertSite(db, site);
  for (const deployment of deployments) insertDeployment(db, deployment);
  holdWholeSite(db, site.name);
  db.run(ADD_EVENT, eventValues(event));
  return true;
};
