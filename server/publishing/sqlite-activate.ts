import type { Database } from "../../db/database.ts";
import { ACTIVATION_COLUMNS, type ActivationFacts, findObstacle } from "./decide-activation.ts";
import type { BlobName } from "../blobs/blobs.ts";
import { ADD_EVENT, eventValues, MISSING } from "./store-rows.ts";
import type { ActivationOutcome, ActivationRequest } from "./store.ts";

/** The whole activation, to be run in one transaction: every condition is looked at where it is changed. */
export const activateInTransaction = (
  db: Database,
  { id, expectedActive, at, by }: ActivationRequest,
): ActivationOutcome => {
  const deployment = db.get<ActivationFacts>(`SELECT ${ACTIVATION_COLUMNS} FROM deployments WHERE id = ?`, [
    id,
  ]);
  if (!deployment) return { kind: "not-found" };
  const { site } = deployment;
  const active = db.get<ActivationFacts>(
    `SELECT ${ACTIVATION_COLUMNS} FROM deployments WHERE site = ? AND status = 'active'`,
    [site],
  );
  const obstacle = findObstacle(deployment, active, expectedActive);
  if (obstacle) return obstacle;
  const missing = db.all<BlobName>(MISSING, [id]);
  if (missing.length > 0) return { kind: "missing-blobs", missing };
  db.run("UPDATE deployments SET status = 'superseded' WHERE site = ? AND status = 'active'", [site]);
  db.run("UPDATE deployments SET status = 'active', activated_at = ? WHERE id = ?", [at, id]);
  db.run("UPDATE sites SET active_deployment = ?, updated_at = ?, version = version + 1 WHERE name = ?", [
    id,
    at,
    site,
  ]);
  db.run(ADD_EVENT, eventValues({ at, site, deployment: id, action: "activated", by, detail: active?.id }));
  return { kind: "activated", previous: active?.id };
};
