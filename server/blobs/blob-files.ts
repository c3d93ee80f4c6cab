import { randomBytes } from "node:crypto";
import { readdirSync, rmSync } from "node:fs";
import { mkdir, open, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { writeFailure } from "../../core/durable-file.ts";
import { AppError, systemCode } from "../../core/errors.ts";
import { isAlive, ownIdentity } from "../../core/process-identity.ts";

/** Copies of large blobs of a database, as files that the runtime sends by its best way. */
export type BlobFiles = {
  /** The file with these bytes, made by reading them when it is not there. */
  get: (sha256: string, size: number, read: () => AsyncIterable<Uint8Array>) => Promise<string>;
  close: () => Promise<void>;
};

type Kept = { path: string; size: number; usedAt: number };

const MAX_BYTES = 1024 * 1024 * 1024;
/** A file that was asked for is opened within this time; what is open may be removed. */
const OPENED_MS = 30_000;

/** Each process has its own folder; that of a process that is gone is removed by the next one. */
const removeDeadFolders = (parent: string): void => {
  const { bootId } = ownIdentity();
  for (const name of readdirSync(parent)) {
    const [pid = "", startTime = ""] = name.split(".");
    if (!isAlive({ pid: Number(pid), startTime, bootId }))
      rmSync(join(parent, name), { recursive: true, force: true });
  }
};

/** Opens the cache below `parent`. It is never more than a copy: nothing in it is synced or outlives us. */
export const openBlobFiles = async (
  parent: string,
  { now, maxBytes = MAX_BYTES }: { now: () => number; maxBytes?: number },
): Promise<BlobFiles> => {
  const { pid, startTime } = ownIdentity();
  const folder = join(parent, `${pid}.${startTime}.${randomBytes(4).toString("hex")}`);
  await mkdir(parent, { recursive: true, mode: 0o700 });
  removeDeadFolders(parent);
  await mkdir(folder, { mode: 0o700 });
  // The first is the one not used for longest.
  const kept = new Map<string, Kept>();
  const making = new Map<string, Promise<string>>();
  let heldBytes = 0;

  const makeRoom = async (): Promise<void> => {
    for (const [sha256, { path, size, usedAt }] of kept) {
      if (heldBytes <= maxBytes || usedAt + OPENED_MS > now()) return;
      kept.delete(sha256);
      heldBytes -= size;
      await rm(path, { force: true });
    }
  };

  const make = async (sha256: string, size: number, bytes: AsyncIterable<Uint8Array>): Promise<string> => {
    const path = join(folder, sha256);
    const temporary = `${path}.part`;
    try {
      const file = await open(temporary, "w", 0o600);
      try {
        for await (const part of bytes) await file.writeFile(part);
      } finally {
        await file.close();
      }
      await rename(temporary, path);
    } catch (error) {
      await rm(temporary, { force: true });
      throw systemCode(error) === undefined || error instanceof AppError ? error : writeFailure(path, error);
    }
    kept.set(sha256, { path, size, usedAt: now() });
    heldBytes += size;
    await makeRoom();
    return path;
  };

  return {
    get: async (sha256, size, read) => {
      const known = kept.get(sha256);
      if (known) {
        kept.delete(sha256);
        kept.set(sha256, { ...known, usedAt: now() });
        return known.path;
      }
      const underWay = making.get(sha256) ?? make(sha256, size, read()).finally(() => making.delete(sha256));
      making.set(sha256, underWay);
      return underWay;
    },
    close: async () => {
      await Promise.allSettled(making.values());
      await rm(folder, { recursive: true, force: true });
    },
  };
};
