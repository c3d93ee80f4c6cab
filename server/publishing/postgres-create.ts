import type { Transaction } from "../../db/postgres/postgres.ts";
import type { Deployment, Site } from "./deployment.ts";
import { holdWholeSite, measureKept } from "./postgres-held.ts";
import { addEvent, tellSiteChanged } from "./postgres-sites.ts";
import { checkQuota, type Quota } from "./quota.ts";
import { DEPLOYMENT_COLUMNS, deploymentValues } from "./store-rows.ts";
import type { CreateOutcome, ImportedDeployment, NewDeployment, PublishEvent, RequestKey } from "./store.ts";

const placeholders = (count: number): string =>
  Array.from({ length: count }, (_, index) => `$${index + 1}`).join(", ");

const insertDeployment = async (tx: Transaction, deployment: Deployment): Promise<void> => {
  const values = deploymentValues(deployment);
  const unique = new Map(deployment.manifest.map(({ sha256, size }) => [sha256, size]));
  const names = [...unique.keys()];
  await Promise.all([
    tx.run(`INSERT INTO deployments (${DEPLOYMENT_COLUMNS}) VALUES (${placeholders(values.length)})`, values),
    tx.run(
      "INSERT INTO deployment_blobs (deployment, sha256, size) SELECT $1::text, * FROM unnest($2::text[], $3::bigint[])",
      [deployment.id, names, [...unique.values()]],
    ),
    // Bytes that a waiting deployment counts on are in use from now. In one order, so that two publishers of
    // the same files wait for each other and never for ever.
    tx.run(
      `WITH used AS (SELECT sha256 FROM blobs WHERE sha256 = ANY($1) ORDER BY sha256 FOR UPDATE)
       UPDATE blobs b SET used_at = greatest(b.used_at, $2) FROM used WHERE b.sha256 = used.sha256`,
      [names, deployment.createdAt],
    ),
  ]);
};

/** Adds the site when it is new; in either case nobody else changes or deletes it before we are done. */
const holdSite = async (tx: Transaction, { name, createdAt, updatedAt }: Site): Promise<void> => {
  await tx.run(
    `INSERT INTO sites AS s (name, created_at, updated_at) VALUES ($1, $2, $3)
     ON CONFLICT (name) DO UPDATE SET updated_at = s.updated_at`,
    [name, createdAt, updatedAt],
  );
};

const findReplay = async (
  tx: Transaction,
  { token, key, request }: RequestKey,
): Promise<CreateOutcome | undefined> => {
  // Whoever sends the same key to another server at this moment waits for our answer.
  await tx.run("SELECT pg_advisory_xact_lock(hashtextextended($1, 10))", [`${token} ${key}`]);
  const before = await tx.get<{ request: string; deployment: string }>(
    "SELECT request, deployment FROM publish_requests WHERE token = $1 AND key = $2",
    [token, key],
  );
  if (!before) return undefined;
  if (before.request !== request) return { kind: "key-reused" };
  return { kind: "replayed", deploymentId: before.deployment };
};

/** Creates a waiting deployment (and its site, when it is the first), to be run in one transaction. */
export const createInTransaction = async (
  tx: Transaction,
  deployment: NewDeployment,
  { key, quota }: { key: RequestKey | undefined; quota: Quota | undefined },
): Promise<CreateOutcome> => {
  const replay = key && (await findReplay(tx, key));
  if (replay) return replay;
  const { id, site, createdAt: at, createdBy: by, message } = deployment;
  await holdSite(tx, { name: site, createdAt: at, updatedAt: at });
  if (quota) checkQuota(site, await measureKept(tx, site, deployment.manifest), quota);
  await insertDeployment(tx, { ...deployment, status: "pending" });
  if (key)
    await tx.run(
      "INSERT INTO publish_requests (token, key, request, deployment, created_at) VALUES ($1, $2, $3, $4, $5)",
      [key.token, key.key, key.request, id, at],
    );
  await addEvent(tx, { at, site, deployment: id, action: "created", by, detail: message });
  return { kind: "created" };
};

/** Adds a site with its history, to be run in one transaction. False when the site is there already. */
export const importInTransaction = async (
  tx: Transaction,
  site: Site,
  { deployments, event }: { deployments: readonly ImportedDeployment[]; event: PublishEvent },
): Promise<boolean> => {
  const added = await tx.run(
    "INSERT INTO sites (name, created_at, updated_at, active_deployment) VALUES ($1, $2, $3, $4) ON CONFLICT (name) DO NOTHING",
    [site.name, site.createdAt, site.updatedAt, site.activeDeploymentId ?? null],
  );
  if (added === 0) return false;
  for (const deployment of deployments) await insertDeployment(tx, deployment);
  await holdWholeSite(tx, site.name);
  await addEvent(tx, event);
  await tellSiteChanged(tx, site.name);
  return true;
};
