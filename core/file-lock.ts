import { createHash, randomUUID } from "node:crypto";
import {
  existsSync,
  linkSync,
  mkdirSync,
  renameSync,
  rmSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";
import { removeQuietly, temporaryBeside, writeFailure } from "./durable-file.ts";
import { readFileIfThere } from "./read-file.ts";
import { AppError, systemCode } from "./errors.ts";
import { type ChildIdentity, isAlive, ownIdentity } from "./process-identity.ts";

/** What a lock file says about its holder; `claim` tells two claims of one process apart. */
export type LockOwner = ChildIdentity & { label: string; since: string; claim?: string };

/** A lock that is held. `release` lets go once and never touches a lock that somebody else took over. */
export type FileLock = { path: string; owner: LockOwner; release: () => void; isHeld: () => boolean };

export type LockAttempt = { lock: FileLock; holder?: undefined } | { lock?: undefined; holder: LockOwner };

const isOwner = (value: unknown): value is LockOwner =>
  typeof value === "object" &&
  value !== null &&
  typeof (value as LockOwner).pid === "number" &&
  typeof (value as LockOwner).startTime === "string" &&
  typeof (value as LockOwner).bootId === "string";

/** The owner written in a lock file; undefined when there is no file or it says nothing readable. */
export const readLockOwner = (path: string): LockOwner | undefined => {
  const text = readFileIfThere(path);
  if (text === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isOwner(value) ? value : undefined;
  } catch {
    return undefined;
  }
};

/** The live holder of a lock, if it has one. */
export const findLockHolder = (path: string): LockOwner | undefined => {
  const owner = readLockOwner(path);
  return owner && isAlive(owner) ? owner : undefined;
};

/**
 * Tries to take a lock file. It is created whole and at once (link(2) of a finished file), holds the
 * identity of the owner, and is taken over at once from an owner that is proven dead.
 * @returns the lock, or its live holder
 * @throws AppError `unavailable` / `storage-full` when the file cannot be written
 */
export const tryLock = (
  path: string,
  {
    label,
    identity = ownIdentity(),
    now = Date.now(),
  }: { label: string; identity?: ChildIdentity; now?: number },
): LockAttempt => {
  const owner: LockOwner = { ...identity, label, since: new Date(now).toISOString(), claim: randomUUID() };
  const temporary = temporaryBeside(path);
  try {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(temporary, `${JSON.stringify(owner)}\n`, { flag: "wx" });
  } catch (error) {
    removeQuietly(temporary);
    throw writeFailure(path, error);
  }
  try {
    return claim(path, temporary, owner);
  } finally {
    rmSync(temporary, { force: true });
  }
};

const claim = (path: string, temporary: string, owner: LockOwner): LockAttempt => {
  for (;;) {
    try {
      linkSync(temporary, path);
      return { lock: heldLock(path, owner) };
    } catch (error) {
      if (systemCode(error) !== "EEXIST") throw writeFailure(path, error);
    }
    const found = readLockOwner(path);
    if (found && isAlive(found)) return { holder: found };
    const heir = inheritFromDead(path, { temporary, owner, dead: found });
    if (heir) return heir;
  }
};

/**
 * Takes a dead owner's lock over. Whoever holds the lock "heir of exactly that owner" alone may replace
 * the file, so a slow racer that saw the same corpse can never throw a newer, live lock away.
 * @returns undefined when the lock changed hands meanwhile and the caller should look again
 */
const inheritFromDead = (
  path: string,
  { temporary, owner, dead }: { temporary: string; owner: LockOwner; dead: LockOwner | undefined },
): LockAttempt | undefined => {
  const heirPath = `${path}.heir-${ownerKey(dead)}`;
  const heir = claim(heirPath, temporary, owner);
  if (!heir.lock) return sameKey(path, dead) ? heir : undefined;
  try {
    if (!sameKey(path, dead)) return undefined;
    const replacement = temporaryBeside(path);
    linkSync(temporary, replacement);
    renameSync(replacement, path);
    return { lock: heldLock(path, owner) };
  } finally {
    heir.lock.release();
  }
};

const ownerKey = (owner: LockOwner | undefined): string =>
  owner
    ? createHash("sha256")
        .update(JSON.stringify([owner.pid, owner.startTime, owner.bootId, owner.since, owner.claim]))
        .digest("hex")
        .slice(0, 16)
    : "unreadable";

/** Whether the file is there and still that owner's. */
const sameKey = (path: string, owner: LockOwner | undefined): boolean =>
  existsSync(path) && ownerKey(readLockOwner(path)) === ownerKey(owner);

const heldLock = (path: string, owner: LockOwner): FileLock => {
  const inode = statSync(path).ino;
  const isHeld = () => {
    try {
      return statSync(path).ino === inode && ownerKey(owner) === ownerKey(readLockOwner(path));
    } catch {
      return false;
    }
  };
  return {
    path,
    owner,
    isHeld,
    release: () => {
      if (isHeld()) unlinkSync(path);
    },
  };
};

/** Takes the lock or fails with `locked`, naming the holder and how to get it free (`hint`). */
export const lockOrThrow = (
  path: string,
  options: { label: string; what: string; hint: string },
): FileLock => {
  const { lock, holder } = tryLock(path, { label: options.label });
  if (lock) return lock;
  throw new AppError(
    "locked",
    `${options.what} is held by ${holder.label} (pid ${holder.pid}, since ${holder.since}); ${options.hint}`,
    { details: { holder } },
  );
};
