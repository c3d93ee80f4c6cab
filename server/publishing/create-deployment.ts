import { createHash } from "node:crypto";
import { AppError } from "../../core/errors.ts";
import type { BlobName } from "../blobs/blobs.ts";
import { type ActivationCheck, type Deployment, newDeploymentId } from "./deployment.ts";
import {
  checkManifest,
  manifestDigest,
  type ManifestEntry,
  type ManifestFault,
  type ManifestInput,
  totalBytes,
} from "./manifest.ts";
import { type Plan, planChange } from "./plan.ts";
import type { PublishingPorts } from "./ports.ts";
import { checkQuota } from "./quota.ts";
import { findKnownRuleFaults, listFaults } from "./rule-files.ts";

/** What a publisher asks for; with `base`, `manifest` and `remove` change that deployment's files. */
export type DeploymentRequest = {
  manifest: ManifestInput[];
  base?: string | undefined;
  remove?: string[] | undefined;
  checks?: ActivationCheck[] | undefined;
  message?: string | undefined;
  run?: string | undefined;
  pinned?: boolean | undefined;
};

/** What a deployment would change and what it still lacks. */
export type DeploymentPlan = Plan & {
  digest: string;
  missing: AssetName[];
  bytesToSend: number;
  warnings: string[];
  filesLeft: number;
  bytesLeft: number;
};

export type AssetName = BlobName & { path: string };

type Planned = { entries: ManifestEntry[]; plan: DeploymentPlan };
type Ports = Pick<PublishingPorts, "store" | "blobs" | "limits" | "quota" | "now">;

const PRIVATE =
  /(?:^|\/)(?:id_(?:rsa|dsa|ecdsa|ed25519)|[^/]+\.(?:pem|key|p12|pfx|keystore|kdbx|sqlite3?|env))$/i;

const privateWarnings = (entries: readonly ManifestEntry[]): string[] =>
  entries
    .filter(({ path }) => PRIVATE.test(path))
    .map(({ path }) => `${path}: looks like a key or a database; everybody will be able to read it`);

/** Names of a manifest whose bytes are in `missing`, one for each sha256. */
export const nameMissing = (entries: readonly ManifestEntry[], missing: readonly BlobName[]): AssetName[] => {
  const wanted = new Set(missing.map(({ sha256 }) => sha256));
  return entries.flatMap(({ path, sha256, size }) => (wanted.delete(sha256) ? [{ path, sha256, size }] : []));
};

const sizeFaults = (entries: readonly ManifestEntry[], held: ReadonlyMap<string, number>): ManifestFault[] =>
  entries.flatMap(({ path, sha256, size }, index) => {
    const actual = held.get(sha256) ?? size;
    const message = `"${path}": size says ${size} bytes; the bytes of this sha256 are ${actual}`;
    return actual === size ? [] : [{ path: `/manifest/${index}/size`, message, file: path, value: size }];
  });

const loadBase = async ({ store }: Ports, site: string, base: string | undefined) => {
  if (base === undefined) return undefined;
  const found = await store.findDeployment(base);
  if (found?.site === site && found.status !== "expired") return found.manifest;
  const message = `"${base}" is not a kept deployment of ${site}`;
  throw new AppError("bad-data", `base ${message}`, { faults: [{ path: "/base", message }] });
};

/** Checks a request as a whole and says what it would change. @throws AppError `bad-data` with every fault */
export const planDeployment = async (
  ports: Ports,
  site: string,
  request: DeploymentRequest,
): Promise<Planned> => {
  const { store, blobs, limits, quota } = ports;
  const base = await loadBase(ports, site, request.base);
  const patch = { ...(base ? { base } : {}), ...(request.remove ? { remove: request.remove } : {}) };
  const { entries, faults, warnings } = checkManifest(request.manifest, limits, patch);
  // What other sites were sent is not here for this one: who knows a digest has not shown the bytes.
  const held = new Map((await store.findHeld(site, entries)).map((name) => [name.sha256, name.size]));
  faults.push(...sizeFaults(entries, held));
  const heldEntries = entries.filter(({ sha256 }) => held.has(sha256));
  if (faults.length === 0) faults.push(...(await findKnownRuleFaults(heldEntries, blobs)));
  if (faults.length > 0) throw new AppError("bad-data", listFaults(faults), { faults });
  checkQuota(site, await store.measureKept(site, entries), quota);
  const live = (await store.findSite(site))?.activeDeploymentId;
  const before = live === undefined ? undefined : await store.findDeployment(live);
  const missing = nameMissing(
    entries,
    entries.filter(({ sha256 }) => !held.has(sha256)),
  );
  const plan = {
    ...planChange(before?.manifest ?? [], entries),
    digest: manifestDigest(entries),
    missing,
    bytesToSend: missing.reduce((sum, { size }) => sum + size, 0),
    warnings: [...warnings, ...privateWarnings(entries)],
    filesLeft: limits.maxFiles - entries.length,
    bytesLeft: limits.maxSiteBytes - totalBytes(entries),
  };
  return { entries, plan };
};

/** Who asks, and the key that makes asking twice the same as asking once. */
export type Publisher = { id: string; label: string };

export type Created = { deployment: Deployment; plan: DeploymentPlan; isReplay: boolean };

/** Creates a waiting deployment. @throws AppError `bad-data` with every fault; `conflict` for a reused key */
export const createDeployment = async (
  ports: Ports,
  {
    site,
    request,
    publisher,
    key,
  }: { site: string; request: DeploymentRequest; publisher: Publisher; key?: string },
): Promise<Created> => {
  const { entries, plan } = await planDeployment(ports, site, request);
  const deployment = {
    id: newDeploymentId(),
    site,
    createdAt: ports.now(),
    createdBy: publisher.label,
    message: request.message,
    base: request.base,
    run: request.run,
    pinned: request.pinned ?? false,
    digest: plan.digest,
    checks: request.checks ?? [],
    manifest: entries,
  };
  const digest = createHash("sha256")
    .update(JSON.stringify([site, request]))
    .digest("hex");
  const outcome = await ports.store.createDeployment(
    deployment,
    key === undefined ? undefined : { token: publisher.id, key, request: digest },
    ports.quota,
  );
  if (outcome.kind === "created")
    return { deployment: { ...deployment, status: "pending" }, plan, isReplay: false };
  if (outcome.kind === "key-reused")
    throw new AppError("conflict", `Idempotency-Key "${key}" was used for another request; use a new one`);
  const before = await ports.store.findDeployment(outcome.deploymentId);
  if (!before) throw new AppError("conflict", `Idempotency-Key "${key}" belongs to a deleted deployment`);
  return { deployment: before, plan, isReplay: true };
};
