import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { tryLock } from "../../core/file-lock.ts";
import type { ConversationPorts } from "../ports.ts";
import { type Manifest, MANIFEST_NAME, readManifest } from "./manifest.ts";
import { planRefresh } from "./plan.ts";
import { type Progress, refreshIndex } from "./refresh.ts";
import { removeFootprint, writeFootprint } from "./write-footprint.ts";
import { toStored } from "./write-manifest.ts";

const lockIndex = (folder: string) => tryLock(join(folder, "index.lock"), { label: "search index" }).lock;

const purgeMark = (folder: string): string => join(folder, "purge");

/** From now on the next update, whoever makes it, takes what was removed out of the segments at once. */
export const markPurge = (folder: string): void => writeFileSync(purgeMark(folder), "", { mode: 0o600 });

/**
 * Brings the index on disk up to date under its lock.
 * @returns the new manifest and what could not be read; undefined when another process is at it
 */
export const updateIndex = async (
  folder: string,
  { ports, progress }: { ports: ConversationPorts; progress: Progress },
): Promise<{ manifest: Manifest; problems: string[] } | undefined> => {
  const lock = lockIndex(folder);
  if (!lock) return undefined;
  try {
    const isPurge = existsSync(purgeMark(folder));
    // Read under the lock: the one before us may have done the work already.
    const manifest = readManifest(folder);
    const plan = await planRefresh(manifest, ports);
    await refreshIndex({ folder, manifest, nowMs: ports.now() }, { plan, progress, isPurge });
    if (isPurge) rmSync(purgeMark(folder), { force: true });
    // What could not be read is tried again: there is nothing to rely on.
    if (plan.problems.length > 0) removeFootprint(folder);
    else writeFootprint(folder, toStored(manifest), plan.seen);
    return { manifest, problems: plan.problems };
  } finally {
    lock.release();
  }
};

/** Makes the next search build the index anew; nothing when another process holds it and will see for itself. */
export const dropIndex = (folder: string): void => {
  const lock = lockIndex(folder);
  if (!lock) return;
  try {
    removeFootprint(folder);
    rmSync(join(folder, MANIFEST_NAME), { force: true });
  } finally {
    lock.release();
  }
};
