import type { Transaction } from "../../db/postgres/postgres.ts";
import { ACTIVATION_COLUMNS, type ActivationFacts, findObstacle } from "./decide-activation.ts";
import { addEvent, lockSite, tellSiteChanged } from "./postgres-sites.ts";
import type { BlobName } from "../blobs/blobs.ts";
import { MISSING } from "./store-rows.ts";
import type { ActivationOutcome, ActivationRequest } from "./store.ts";

/**
 * The whole activation, to be run in one transaction. Activations of one site wait for each other at its
 * row, whichever server they came to, so every condition is looked at where it is changed.
 */
export const activateInTransaction = async (
  tx: Transaction,
  { id, expectedActive, at, by }: ActivationRequest,
): Promise<ActivationOutcome> => {
  const named = await tx.get<{ site: string }>("SELECT site FROM deployments WHERE id = $1", [id]);
  if (!named || !(await lockSite(tx, named.site))) return { kind: "not-found" };
  const { site } = named;
  // Behind the lock: a new statement sees what the one before us has committed. The rows are locked against
  // retention, which takes them one by one.
  const facts = await tx.all<ActivationFacts>(
    `SELECT ${ACTIVATION_COLUMNS} FROM deployments WHERE id = $1 OR (site = $2 AND status = 'active') FOR UPDATE`,
    [id, site],
  );
  const deployment = facts.find((row) => row.id === id);
  if (!deployment) return { kind: "not-found" };
  const active = facts.find(({ status }) => status === "active");
  const obstacle = findObstacle(deployment, active, expectedActive);
  if (obstacle) return obstacle;
  const missing = await tx.all<BlobName>(MISSING, [id]);
  if (missing.length > 0) return { kind: "missing-blobs", missing };
  await Promise.all([
    tx.run("UPDATE deployments SET status = 'superseded' WHERE site = $1 AND status = 'active'", [site]),
    tx.run("UPDATE deployments SET status = 'active', activated_at = $1 WHERE id = $2", [at, id]),
    tx.run(
      "UPDATE sites SET active_deployment = $1, updated_at = $2, version = version + 1 WHERE name = $3",
      [id, at, site],
    ),
    addEvent(tx, { at, site, deployment: id, action: "activated", by, detail: active?.id }),
    tellSiteChanged(tx, site),
  ]);
  return { kind: "activated", previous: active?.id };
};
