import { closeSync, fstatSync, readFileSync } from "node:fs";
import { parseJson } from "./parse-json.ts";
import { AppError, systemCode } from "./errors.ts";
import { type ChildIdentity, judgeLife } from "./process-identity.ts";
import { openToRead } from "./read-file.ts";

/** What a lock file says about its holder. */
export type LockOwner = ChildIdentity & {
  label: string;
  since: string;
  /** tells two claims of one process apart */
  claim?: string;
  /** the folder that the holder works in, where the lock is about one */
  dir?: string;
  /** claims of dead owners before this one */
  leftBy?: string[];
};

/** Without a beat for this long, a holder that cannot be judged otherwise is dead. Networked folders may show a date a minute late. */
const STALE_MS = 120_000;

const isOwner = (value: unknown): value is LockOwner =>
  typeof value === "object" &&
  value !== null &&
  typeof (value as LockOwner).pid === "number" &&
  typeof (value as LockOwner).startTime === "string" &&
  typeof (value as LockOwner).bootId === "string";

export const parseOwner = (text: string): LockOwner | undefined => {
  const value = parseJson(text);
  return isOwner(value) ? value : undefined;
};

/** A link is followed nowhere, and what is no file (a FIFO, a folder) is nobody's lock. */
const NO_LOCK = ["ENOENT", "ENOTDIR", "ELOOP", "EISDIR"];

/** What lies in a lock file, and when its holder wrote into it last. */
export const readLock = (path: string): { owner: LockOwner; beatMs: number } | undefined => {
  try {
    const handle = openToRead(path, { isLinkFollowed: false });
    try {
      const owner = parseOwner(readFileSync(handle, "utf8"));
      return owner && { owner, beatMs: fstatSync(handle).mtimeMs };
    } finally {
      closeSync(handle);
    }
  } catch (error) {
    if (error instanceof AppError || NO_LOCK.includes(systemCode(error) ?? "")) return undefined;
    throw error;
  }
};

/** The owner written in a lock file; undefined when there is no file or it says nothing readable. */
export const readLockOwner = (path: string): LockOwner | undefined => readLock(path)?.owner;

/** An owner that nobody can judge from here (another host, a container) is alive for as long as its heart beats. */
export const isHolding = (
  { owner, beatMs }: { owner: LockOwner; beatMs: number },
  nowMs: number,
): boolean => {
  const life = judgeLife(owner);
  return life === "unknown" ? nowMs - beatMs < STALE_MS : life === "alive";
};

/** The live holder of a lock, if it has one. */
export const findLockHolder = (path: string, nowMs = Date.now()): LockOwner | undefined => {
  const found = readLock(path);
  return found && isHolding(found, nowMs) ? found.owner : undefined;
};

/** Who holds it, in words; a pid of another host or container is one there. */
export const describeHolder = (holder: LockOwner): string => `${holder.label} ${describeProcess(holder)}`;

/** A holder without its name: "(pid 812, since …)". */
export const describeProcess = (holder: LockOwner): string => {
  const place = judgeLife(holder) === "unknown" ? ` on ${holder.host ?? "another host"}` : "";
  return `(pid ${holder.pid}${place}, since ${holder.since})`;
};
