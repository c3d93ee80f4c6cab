import type { Dialect } from "../../db/statements.ts";
import { all, get, run, type Steps } from "../../db/steps.ts";
import type { BlobName } from "../blobs/blobs.ts";
import { ACTIVATION_COLUMNS, type ActivationFacts, findObstacle } from "./decide-activation.ts";
import { MISSING } from "./store-rows.ts";
import { addEvent, lockSite, tellSiteChanged } from "./store-sites.ts";
import type { ActivationOutcome, ActivationRequest } from "./store.ts";

/**
 * The whole activation. Activations of one site wait for each other at its row, whichever server they came to, so
 * every condition is looked at where it is changed.
 */
export const activateSteps = function* (
  dialect: Dialect,
  { id, expectedActive, at, by }: ActivationRequest,
): Steps<ActivationOutcome> {
  const named = yield* get<{ site: string }>("SELECT site FROM deployments WHERE id = $1", [id]);
  if (!named || !(yield* lockSite(dialect, named.site))) return { kind: "not-found" };
  const { site } = named;
  // Behind the lock: a new statement sees what the one before us has committed. The rows are locked against
  // retention, which takes them one by one.
  const facts = yield* all<ActivationFacts>(
    `SELECT ${ACTIVATION_COLUMNS} FROM deployments WHERE id = $1 OR (site = $2 AND status = 'active') ${dialect.forUpdate}`,
    [id, site],
  );
  const deployment = facts.find((row) => row.id === id);
  if (!deployment) return { kind: "not-found" };
  const active = facts.find(({ status }) => status === "active");
  const obstacle = findObstacle(deployment, active, expectedActive);
  if (obstacle) return obstacle;
  const missing = yield* all<BlobName>(MISSING, [id]);
  if (missing.length > 0) return { kind: "missing-blobs", missing };
  yield* run("UPDATE deployments SET status = 'superseded' WHERE site = $1 AND status = 'active'", [site]);
  yield* run("UPDATE deployments SET status = 'active', activated_at = $1 WHERE id = $2", [at, id]);
  yield* run(
    "UPDATE sites SET active_deployment = $1, updated_at = $2, version = version + 1 WHERE name = $3",
    [id, at, site],
  );
  yield* addEvent({ at, site, deployment: id, action: "activated", by, detail: active?.id });
  yield* tellSiteChanged(dialect, site);
  return { kind: "activated", previous: active?.id };
};
