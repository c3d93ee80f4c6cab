import type { BlobName } from "../blobs/blobs.ts";
import type { PublishingPorts } from "./ports.ts";
import { findExpired } from "./retention.ts";
import type { CollectedView } from "./schemas.ts";

type Ports = Pick<PublishingPorts, "store" | "blobs" | "retention" | "now">;

/** Marks what retention no longer keeps of a site; bytes go later, after the grace time. */
export const expireOld = async ({ store, retention, now }: Ports, site: string): Promise<string[]> => {
  const at = now();
  const ids = findExpired(await store.listCandidates(site), retention, at);
  if (ids.length > 0) await store.expire(ids, at);
  return ids;
};

const ORPHAN_BATCH = 500;
const PRUNE_MS = 30 * 24 * 3_600_000;

const planExpiry = async ({ store, retention, now }: Ports): Promise<string[]> => {
  const ids: string[] = [];
  for (const { name } of await store.listSites())
    ids.push(...findExpired(await store.listCandidates(name), retention, now()));
  return ids;
};

/** Bytes that no row knows: left by a process killed between the two. */
const removeOrphans = async ({ store, blobs }: Ports): Promise<void> => {
  const remove = async (names: readonly BlobName[]): Promise<void> => {
    for (const { sha256 } of await store.findMissing(names))
      await blobs.remove(sha256, () => store.forgetBlob(sha256, 0));
  };
  let batch: BlobName[] = [];
  for await (const sha256 of blobs.list()) {
    batch.push({ sha256, size: 0 });
    if (batch.length < ORPHAN_BATCH) continue;
    await remove(batch);
    batch = [];
  }
  await remove(batch);
};

/**
 * Expires what retention no longer keeps and removes bytes that nothing has needed for the grace time. With
 * `dryRun` it only says what would go; newly expired deployments' bytes stay for the grace time either way.
 */
export const collect = async (ports: Ports, { dryRun }: { dryRun: boolean }): Promise<CollectedView> => {
  const { store, blobs, retention, now } = ports;
  const before = now() - retention.graceMs;
  const expired = await planExpiry(ports);
  const unused = await store.listUnused(before);
  const report: CollectedView = { dryRun, expired, blobs: unused.length, bytes: 0, pruned: 0 };
  report.bytes = unused.reduce((sum, { size }) => sum + size, 0);
  if (dryRun) return report;
  if (expired.length > 0) await store.expire(expired, now());
  report.blobs = 0;
  report.bytes = 0;
  for (const { sha256, size } of unused) {
    if (!(await blobs.remove(sha256, () => store.forgetBlob(sha256, before)))) continue;
    report.blobs += 1;
    report.bytes += size;
  }
  await removeOrphans(ports);
  report.pruned = await store.prune(now() - PRUNE_MS);
  return report;
};
