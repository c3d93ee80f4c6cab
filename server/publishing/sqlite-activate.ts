import type { BlobName } from "../db/blobs.ts";
import type { Database } from "../db/database.ts";
import type { DeploymentStatus } from "./deployment.ts";
import { addEvent } from "./sqlite-events.ts";
import type { ActivationOutcome, ActivationRequest } from "./store.ts";

type Facts = { number: number; id: string; site: string; status: DeploymentStatus };

export const selectMissing = (db: Database, deployment: string): BlobName[] =>
  db.all<BlobName>(
    "SELECT d.sha256, d.size FROM deployment_blobs d LEFT JOIN blobs b ON b.sha256 = d.sha256 WHERE d.deployment = ? AND b.sha256 IS NULL ORDER BY d.sha256",
    [deployment],
  );

const isExpected = (active: Facts | undefined, expected: ActivationRequest["expectedActive"]): boolean =>
  expected === undefined ||
  (expected === "any" ? active !== undefined : expected.includes(active?.id ?? null));

/** Why a deployment may not go live now, or undefined when it may. */
const findObstacle = (
  db: Database,
  deployment: Facts,
  active: Facts | undefined,
  expected: ActivationRequest["expectedActive"],
): ActivationOutcome | undefined => {
  if (deployment.status === "active") return { kind: "already-active" };
  if (deployment.status === "expired") return { kind: "expired" };
  if (!isExpected(active, expected)) return { kind: "stale", active: active?.id };
  // Two publishers at once: the slower, older one must not silently undo the newer. Going back to what was
  // live before is a rollback and meant; naming the live deployment says that this is meant, too.
  const overtaken = expected === undefined && deployment.status === "pending";
  if (overtaken && active && active.number > deployment.number)
    return { kind: "overtaken", active: active.id };
  const missing = selectMissing(db, deployment.id);
  return missing.length > 0 ? { kind: "missing-blobs", missing } : undefined;
};

/** The whole activation, to be run in one transaction: every condition is looked at where it is changed. */
export const activateInTransaction = (
  db: Database,
  { id, expectedActive, at, by }: ActivationRequest,
): ActivationOutcome => {
  const deployment = db.get<Facts>("SELECT number, id, site, status FROM deployments WHERE id = ?", [id]);
  if (!deployment) return { kind: "not-found" };
  const { site } = deployment;
  const active = db.get<Facts>(
    "SELECT number, id, site, status FROM deployments WHERE site = ? AND status = 'active'",
    [site],
  );
  const obstacle = findObstacle(db, deployment, active, expectedActive);
  if (obstacle) return obstacle;
  db.run("UPDATE deployments SET status = 'superseded' WHERE site = ? AND status = 'active'", [site]);
  db.run("UPDATE deployments SET status = 'active', activated_at = ? WHERE id = ?", [at, id]);
  db.run("UPDATE sites SET active_deployment = ?, updated_at = ?, version = version + 1 WHERE name = ?", [
    id,
    at,
    site,
  ]);
  addEvent(db, { at, site, deployment: id, action: "activated", by, detail: active?.id });
  return { kind: "activated", previous: active?.id };
};
