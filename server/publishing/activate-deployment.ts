import { plural } from "../../core/plural.ts";
import { AppError, type Fault } from "../../core/errors.ts";
import { nameMissing } from "./create-deployment.ts";
import type { ActivationCheck, Deployment } from "./deployment.ts";
import { expireOld } from "./collect.ts";
import type { PreviewAnswer, PublishingPorts } from "./ports.ts";
import { findKnownRuleFaults, listFaults } from "./rule-files.ts";
import type { ActivationOutcome, ActivationRequest } from "./store.ts";

const MISSING = "All manifest assets must be uploaded before activation";

const checkFault = (check: ActivationCheck, answer: PreviewAnswer): string | undefined => {
  const status = check.status ?? 200;
  if (answer.status !== status) return `${check.path} answers ${answer.status}, expected ${status}`;
  if (check.contains !== undefined && !answer.text.includes(check.contains))
    return `${check.path} does not contain "${check.contains.slice(0, 120)}"`;
  return undefined;
};

/** Asks the preview what the publisher wants to be sure of. @throws AppError `conflict` with every failed check */
const runChecks = async ({ fetchPreview }: PublishingPorts, { id, checks }: Deployment): Promise<void> => {
  const faults: Fault[] = [];
  for (const [index, check] of checks.entries()) {
    const message = checkFault(check, await fetchPreview(id, check.path));
    if (message !== undefined) faults.push({ path: `/checks/${index}`, message });
  }
  if (faults.length > 0)
    throw new AppError("conflict", `Deployment cannot be activated: ${listFaults(faults)}`, {
      faults,
    });
};

/** What must be true whatever else is live; looked at before the transaction because it reads files. */
const checkContent = async (ports: PublishingPorts, deployment: Deployment): Promise<void> => {
  const missing = await ports.store.listMissing(deployment.id);
  if (missing.length > 0)
    throw new AppError("conflict", `${MISSING}: ${plural(missing.length, "file is", "files are")} missing`, {
      details: { missing: nameMissing(deployment.manifest, missing) },
    });
  const faults = await findKnownRuleFaults(deployment.manifest, ports.blobs);
  if (faults.length > 0)
    throw new AppError("conflict", `Deployment cannot be activated: ${listFaults(faults)}`, { faults });
  await runChecks(ports, deployment);
};

const refuse = (deployment: Deployment, outcome: ActivationOutcome): AppError => {
  const { id, site, manifest } = deployment;
  switch (outcome.kind) {
    case "not-found":
      return new AppError("not-found", `There is no deployment ${id}`);
    case "expired":
      return new AppError(
        "conflict",
        `Deployment cannot be activated: ${id} has expired; publish its files again`,
      );
    case "missing-blobs":
      return new AppError(
        "conflict",
        `${MISSING}: ${plural(outcome.missing.length, "file is", "files are")} missing`,
        {
          details: { missing: nameMissing(manifest, outcome.missing) },
        },
      );
    case "stale":
      return new AppError(
        "precondition-failed",
        `Someone else published ${site} meanwhile: ${outcome.active ?? "nothing"} is live now. Nothing changed. Review, then publish again`,
        { details: { activeDeploymentId: outcome.active ?? null } },
      );
    case "overtaken":
      return new AppError(
        "conflict",
        `Deployment cannot be activated: ${outcome.active}, created later, is live already; to replace it all the same send If-Match: "${outcome.active}"`,
        { details: { activeDeploymentId: outcome.active } },
      );
    case "activated":
    case "already-active":
      throw new Error(`${outcome.kind} is no refusal`);
  }
};

export type Activated = { deployment: Deployment; previous: string | undefined; changed: boolean };

/**
 * Puts a deployment live: everything is checked first, the switch itself is one transaction, and the answer
 * comes when the switch is on disk and visitors get the new files. Whatever fails, nothing has changed.
 */
export const activateDeployment = async (
  ports: PublishingPorts,
  deployment: Deployment,
  { expectedActive, by }: Pick<ActivationRequest, "expectedActive" | "by">,
): Promise<Activated> => {
  const { id, site, status } = deployment;
  if (status === "pending" || status === "superseded") await checkContent(ports, deployment);
  ports.onStep?.("activation-checked");
  const at = ports.now();
  const outcome = await ports.store.activate({ id, expectedActive, at, by });
  if (outcome.kind === "already-active") return { deployment, previous: undefined, changed: false };
  if (outcome.kind !== "activated") throw refuse(deployment, outcome);
  ports.onStep?.("activation-committed");
  await ports.refreshSite(site);
  ports.onStep?.("activation-live");
  await expireOld(ports, site);
  const live: Deployment = { ...deployment, status: "active", activatedAt: at };
  return { deployment: live, previous: outcome.previous, changed: true };
};
