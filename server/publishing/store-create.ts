import { insertion } from "../../db/rows.ts";
import type { Dialect } from "../../db/statements.ts";
import { get, run, type Steps } from "../../db/steps.ts";
import type { Deployment, Site } from "./deployment.ts";
import { checkQuota, type Quota } from "./quota.ts";
import { digestsIn, holdWholeSite, measureKept, namesIn, toParameter, useBlobs } from "./store-held.ts";
import { insertDeploymentRow } from "./store-rows.ts";
import { addEvent, tellSiteChanged } from "./store-sites.ts";
import type { CreateOutcome, ImportedDeployment, NewDeployment, PublishEvent, RequestKey } from "./store.ts";

const insertDeployment = function* (dialect: Dialect, deployment: Deployment): Steps<void> {
  yield* run(...insertDeploymentRow(deployment));
  const parameter = toParameter(deployment.manifest);
  // SQLite would take ON for a join's without the WHERE.
  yield* run(
    `INSERT INTO deployment_blobs (deployment, sha256, size)
     SELECT CAST($1 AS TEXT), sha256, size FROM ${namesIn(dialect, "$2")} WHERE true ON CONFLICT DO NOTHING`,
    [deployment.id, parameter],
  );
  // Bytes that a waiting deployment counts on are in use from now.
  yield* useBlobs(dialect, (names) => digestsIn(dialect, names), {
    value: parameter,
    at: deployment.createdAt,
  });
};

const findReplay = function* (
  dialect: Dialect,
  { token, key, request }: RequestKey,
): Steps<CreateOutcome | undefined> {
  // Whoever sends the same key to another server at this moment waits for our answer.
  yield* dialect.lock(`${token} ${key}`);
  const before = yield* get<{ request: string; deployment: string }>(
    "SELECT request, deployment FROM publish_requests WHERE token = $1 AND key = $2",
    [token, key],
  );
  if (!before) return undefined;
  if (before.request !== request) return { kind: "key-reused" };
  return { kind: "replayed", deploymentId: before.deployment };
};

/** Creates a waiting deployment, and its site when it is the first. */
export const createSteps = function* (
  dialect: Dialect,
  deployment: NewDeployment,
  { key, quota }: { key: RequestKey | undefined; quota: Quota | undefined },
): Steps<CreateOutcome> {
  const replay = key && (yield* findReplay(dialect, key));
  if (replay) return replay;
  const { id, site, createdAt: at, createdBy: by, message } = deployment;
  // New or not: nobody else changes or deletes the site before we are done.
  yield* run(
    `INSERT INTO sites (name, created_at, updated_at) VALUES ($1, $2, $2)
     ON CONFLICT (name) DO UPDATE SET updated_at = sites.updated_at`,
    [site, at],
  );
  if (quota) checkQuota(site, yield* measureKept(dialect, site, deployment.manifest), quota);
  yield* insertDeployment(dialect, { ...deployment, status: "pending" });
  if (key) yield* run(...insertion("publish_requests", { ...key, deployment: id, createdAt: at }));
  yield* addEvent({ at, site, deployment: id, action: "created", by, detail: message });
  return { kind: "created" };
};

/** Adds a site with its history. False when the site is there already. */
export const importSteps = function* (
  dialect: Dialect,
  site: Site,
  { deployments, event }: { deployments: readonly ImportedDeployment[]; event: PublishEvent },
): Steps<boolean> {
  const { name, createdAt, updatedAt, activeDeploymentId = null } = site;
  const added = yield* run(
    "INSERT INTO sites (name, created_at, updated_at, active_deployment) VALUES ($1, $2, $3, $4) ON CONFLICT (name) DO NOTHING",
    [name, createdAt, updatedAt, activeDeploymentId],
  );
  if (added === 0) return false;
  for (const deployment of deployments) yield* insertDeployment(dialect, deployment);
  yield* holdWholeSite(name);
  yield* addEvent(event);
  yield* tellSiteChanged(dialect, name);
  return true;
};
