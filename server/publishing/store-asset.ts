import { AppError } from "../../core/errors.ts";
import { parseAssetPath } from "./asset-path.ts";
import type { Deployment } from "./deployment.ts";
import { isRuleFile, type ManifestEntry } from "./manifest.ts";
import type { PublishingPorts } from "./ports.ts";
import { findKnownRuleFaults, listFaults } from "./rule-files.ts";

type Ports = Pick<PublishingPorts, "store" | "blobs" | "limits" | "now">;

/** How an upload names its asset, and what it says about its body before the body comes. */
export type AssetUpload = {
  path?: string | undefined;
  sha256?: string | undefined;
  claimedSha256?: string | undefined;
  contentLength?: number | undefined;
};

const findEntry = (ports: Ports, manifest: readonly ManifestEntry[], upload: AssetUpload): ManifestEntry => {
  if (upload.path !== undefined) {
    const parsed = parseAssetPath(upload.path, ports.limits.maxPathChars);
    if ("fault" in parsed)
      throw new AppError("bad-data", `Invalid asset path: "${upload.path.slice(0, 120)}" ${parsed.fault}`, {
        faults: [{ path: "/query/path", message: parsed.fault }],
      });
    const entry = manifest.find(({ path }) => path === parsed.path);
    if (entry && (upload.sha256 === undefined || upload.sha256 === entry.sha256)) return entry;
    throw new AppError("bad-data", `Asset is not in the manifest: "${parsed.path}"`, {
      faults: [
        { path: "/query/path", message: `"${parsed.path}" is not in the manifest of this deployment` },
      ],
    });
  }
  const entry = manifest.find(({ sha256 }) => sha256 === upload.sha256);
  if (entry) return entry;
  const message =
    upload.sha256 === undefined ? "name the asset with ?path= or ?sha256=" : "is not in the manifest";
  throw new AppError("bad-data", `Asset is not in the manifest: ${message}`, {
    faults: [{ path: upload.sha256 === undefined ? "/query/path" : "/query/sha256", message }],
  });
};

const mismatch = (entry: ManifestEntry, message: string): AppError =>
  new AppError("bad-data", `Asset does not match its manifest: "${entry.path}" ${message}`, {
    faults: [{ path: "/body", message: `"${entry.path}" ${message}` }],
    details: { file: entry.path, expectedSize: entry.size, expectedSha256: entry.sha256 },
  });

/** Refuses what the headers already show to be wrong, before a byte of the body is read. */
const checkClaims = (entry: ManifestEntry, { contentLength, claimedSha256 }: AssetUpload): void => {
  if (contentLength !== undefined && contentLength !== entry.size)
    throw mismatch(
      entry,
      `has ${contentLength} bytes now and ${entry.size} in the manifest; if the file has changed, create the deployment again`,
    );
  if (claimedSha256 !== undefined && claimedSha256 !== entry.sha256)
    throw mismatch(
      entry,
      `has the sha256 ${claimedSha256} now and ${entry.sha256} in the manifest; if the file has changed, create the deployment again`,
    );
};

/** A bad rule is told at its upload, with its line, beside those of the other rule file if that has come. */
const checkRules = async ({ store, blobs }: Ports, { id, manifest }: Deployment): Promise<void> => {
  const missing = new Set((await store.listMissing(id)).map(({ sha256 }) => sha256));
  const faults = await findKnownRuleFaults(
    manifest.filter(({ sha256 }) => !missing.has(sha256)),
    blobs,
  );
  if (faults.length > 0) throw new AppError("bad-data", listFaults(faults), { faults });
};

/**
 * Stores one asset of a waiting deployment: looked up in its manifest, checked while it streams, durable
 * before it counts.
 * @throws AppError `bad-data` for a wrong name, size or digest; `conflict` when the deployment is not pending
 */
export const storeAsset = async (
  ports: Ports,
  {
    deployment,
    upload,
    body,
  }: { deployment: Deployment; upload: AssetUpload; body: AsyncIterable<Uint8Array> },
): Promise<ManifestEntry> => {
  if (deployment.status !== "pending")
    throw new AppError("conflict", `Deployment is not pending: ${deployment.id} is ${deployment.status}`);
  const entry = findEntry(ports, deployment.manifest, upload);
  checkClaims(entry, upload);
  const { sha256, size } = entry;
  await ports.blobs.put({ sha256, size }, body, () =>
    ports.store.recordBlob({ sha256, size }, ports.now(), deployment.site),
  );
  if (isRuleFile(entry.path)) await checkRules(ports, deployment);
  return entry;
};
