import { AppError } from "../../core/errors.ts";
import { parseAssetPath } from "./asset-path.ts";
import type { Deployment } from "./deployment.ts";
import { isRuleFile, type ManifestEntry } from "./manifest.ts";
import type { PublishingPorts } from "./ports.ts";
import { findRuleFaults } from "./rule-files.ts";

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
    throw mismatch(entry, `has ${entry.size} bytes there and Content-Length ${contentLength} here`);
  if (claimedSha256 !== undefined && claimedSha256 !== entry.sha256)
    throw mismatch(entry, `has sha256 ${entry.sha256} there and Content-Digest ${claimedSha256} here`);
};

const readWhole = async (body: AsyncIterable<Uint8Array>, maxBytes: number): Promise<Uint8Array> => {
  const chunks: Uint8Array[] = [];
  let total = 0;
  for await (const chunk of body) {
    total += chunk.byteLength;
    if (total > maxBytes) break;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
};

const once = async function* (bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  if (bytes.byteLength > 0) yield bytes;
};

/** Rule files are read whole and judged before they are kept: a bad rule is told at its upload, with its line. */
const checkedBody = async (
  entry: ManifestEntry,
  body: AsyncIterable<Uint8Array>,
): Promise<AsyncIterable<Uint8Array>> => {
  if (!isRuleFile(entry.path)) return body;
  const bytes = await readWhole(body, entry.size);
  const faults = findRuleFaults(entry.path, bytes);
  if (faults.length > 0) throw new AppError("bad-data", faults[0]?.message ?? "", { faults });
  return once(bytes);
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
  await ports.blobs.put({ sha256, size }, await checkedBody(entry, body), () =>
    ports.store.recordBlob({ sha256, size }, ports.now()),
  );
  return entry;
};
