import type { DeploymentStatus } from "./deployment.ts";
import type { ActivationOutcome, ActivationRequest } from "./store.ts";

/** What an activation looks at, of the deployment and of the one that is live. */
export type ActivationFacts = { number: number; id: string; site: string; status: DeploymentStatus };

export const ACTIVATION_COLUMNS = "number, id, site, status";

const isExpected = (
  active: ActivationFacts | undefined,
  expected: ActivationRequest["expectedActive"],
): boolean =>
  expected === undefined ||
  (expected === "any" ? active !== undefined : expected.includes(active?.id ?? null));

/** Why a deployment may not go live now, its bytes apart, or undefined when it may. */
export const findObstacle = (
  deployment: ActivationFacts,
  active: ActivationFacts | undefined,
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
  return undefined;
};
