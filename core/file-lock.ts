import { createHash, randomUUID } from "node:crypto";
import {
  linkSync,
  lstatSync,
  mkdirSync,
  renameSync,
  rmSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";
import type { Clock } from "./clock.ts";
import { removeQuietly, temporaryBeside, writeFailure } from "./durable-file.ts";
import { AppError, systemCode } from "./errors.ts";
import { type BeatOptions, type Heartbeat, startHeartbeat } from "./heartbeat.ts";
import {
  type LockOwner,
  describeHolder,
  isHolding,
  parseOwner,
  readLock,
  readLockOwner,
} from "./lock-owner.ts";
import { type ChildIdentity, ownIdentity } from "./process-identity.ts";

/** A lock that is held. `release` lets go once and never touches a lock that somebody else took over. */
export type FileLock = { path: string; owner: LockOwner; release: () => void; isHeld: () => boolean };

export type LockAttempt = { lock: FileLock; holder?: undefined } | { lock?: undefined; holder: LockOwner };

type Claim = {
  label: string;
  identity?: ChildIdentity;
  now?: number;
  /** shared by all locks that one holder takes; a fresh one by default */
  claim?: string;
  dir?: string;
  beat?: BeatOptions;
};

/**
 * Tries to take a lock file. It is created whole and at once (link(2) of a finished file), holds the
 * identity of the owner, and is taken over at once from an owner that is proven dead; from one of another
 * host or pid namespace only when its heartbeat has stopped.
 * @returns the lock, or its live holder
 * @throws AppError `unavailable` / `storage-full` when the file cannot be written
 */
export const tryLock = (
  path: string,
  { label, identity = ownIdentity(), now = Date.now(), claim: id = randomUUID(), dir, beat }: Claim,
): LockAttempt => {
  const since = new Date(now).toISOString();
  const owner: LockOwner = { ...identity, label, since, claim: id, ...(dir === undefined ? {} : { dir }) };
  try {
    mkdirSync(dirname(path), { recursive: true });
  } catch (error) {
    throw writeFailure(path, error);
  }
  const attempt = claim(path, owner);
  if (!attempt.lock) return attempt;
  const { lock } = attempt;
  const heart = startHeartbeat(path, (text) => ownerKey(parseOwner(text)) === ownerKey(lock.owner), beat);
  return { lock: withHeartbeat(lock, heart) };
};

const withHeartbeat = (lock: FileLock, heart: Heartbeat): FileLock => ({
  ...lock,
  release: () => {
    heart.stop();
    lock.release();
  },
});

/** Writes the owner into a file beside the lock, for as long as `act` needs it. */
const withDraft = <T>(path: string, owner: LockOwner, act: (draft: string) => T): T => {
  const draft = temporaryBeside(path);
  try {
    writeFileSync(draft, `${JSON.stringify(owner)}\n`, { flag: "wx" });
  } catch (error) {
    removeQuietly(draft);
    throw writeFailure(path, error);
  }
  try {
    return act(draft);
  } finally {
    rmSync(draft, { force: true });
  }
};

const claim = (path: string, owner: LockOwner): LockAttempt =>
  withDraft(path, owner, (draft) => {
    for (;;) {
      try {
        linkSync(draft, path);
        return { lock: heldLock(path, owner) };
      } catch (error) {
        if (systemCode(error) !== "EEXIST") throw writeFailure(path, error);
      }
      const found = readLock(path);
      // By the file system's own clock: that of the host which beats may be another than ours.
      if (found && isHolding(found, statSync(draft).mtimeMs)) return { holder: found.owner };
      const heir = inheritFromDead(path, owner, found?.owner);
      if (heir) return heir;
    }
  });

const KEPT_CLAIMS = 10;

/** The claims under which dead owners may have left something running. */
const leftBy = (dead: LockOwner | undefined): string[] =>
  [...(dead?.leftBy ?? []), dead?.claim].filter((one) => one !== undefined).slice(-KEPT_CLAIMS);

/**
 * Takes a dead owner's lock over. Whoever holds the lock "heir of exactly that owner" alone may replace
 * the file, so a slow racer that saw the same corpse can never throw a newer, live lock away.
 * @returns undefined when the lock changed hands meanwhile and the caller should look again
 */
const inheritFromDead = (
  path: string,
  owner: LockOwner,
  dead: LockOwner | undefined,
): LockAttempt | undefined => {
  const heir = claim(`${path}.heir-${ownerKey(dead)}`, owner);
  if (!heir.lock) return isStill(path, dead) ? heir : undefined;
  try {
    if (!isStill(path, dead)) return undefined;
    const left = leftBy(dead);
    const next = left.length === 0 ? owner : { ...owner, leftBy: left };
    return withDraft(path, next, (draft) => {
      rename(draft, path);
      return { lock: heldLock(path, next) };
    });
  } finally {
    heir.lock.release();
  }
};

const rename = (from: string, path: string): void => {
  try {
    renameSync(from, path);
  } catch (error) {
    throw ["EISDIR", "ENOTEMPTY", "EEXIST"].includes(systemCode(error) ?? "")
      ? new AppError("unavailable", `${path} is a folder, where a lock file belongs; move it away`)
      : writeFailure(path, error);
  }
};

const ownerKey = (owner: LockOwner | undefined): string =>
  owner
    ? createHash("sha256")
        .update(JSON.stringify([owner.pid, owner.startTime, owner.bootId, owner.since, owner.claim]))
        .digest("hex")
        .slice(0, 16)
    : "unreadable";

/** Whether something is there and still that owner's. */
const isStill = (path: string, owner: LockOwner | undefined): boolean =>
  lstatSync(path, { throwIfNoEntry: false }) !== undefined &&
  ownerKey(readLockOwner(path)) === ownerKey(owner);

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

const LOOK_MS = 50;

/**
 * Waits for a lock that is held for a short time only.
 * @throws AppError `interrupted` when `signal` aborts the waiting
 */
export const waitForLock = async (
  path: string,
  label: string,
  { clock, signal }: { clock: Pick<Clock, "sleep">; signal?: AbortSignal },
): Promise<FileLock> => {
  for (;;) {
    const { lock } = tryLock(path, { label });
    if (lock) return lock;
    await clock.sleep(LOOK_MS, signal);
    if (signal?.aborted) throw new AppError("interrupted", `stopped while waiting for ${path}`);
  }
};

/** Takes the lock or fails with `locked`, naming the holder and how to get it free (`hint`). */
export const lockOrThrow = (
  path: string,
  options: { label: string; what: string; hint: string },
): FileLock => {
  const { lock, holder } = tryLock(path, { label: options.label });
  if (lock) return lock;
  throw new AppError("locked", `${options.what} is held by ${describeHolder(holder)}; ${options.hint}`, {
    details: { holder },
  });
};
