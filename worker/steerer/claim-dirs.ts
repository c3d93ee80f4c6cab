import { createHash } from "node:crypto";
import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { Clock } from "../../core/clock.ts";
import { AppError } from "../../core/errors.ts";
import { type FileLock, tryLock, waitForLock } from "../../core/file-lock.ts";
import { type LockOwner, findLockHolder } from "../../core/lock-owner.ts";
import { isWithin } from "../../core/is-within.ts";

/** Where the steerers of one workers' folder keep their locks, ledgers and events. */
export const steerFolder = (home: string): string => join(home, ".steerer");

export const dirKey = (dir: string): string => createHash("sha256").update(dir).digest("hex").slice(0, 12);

const LABEL = "steerer of ";

const dirOf = (holder: LockOwner): string => holder.label.slice(LABEL.length);

const listHolders = (folder: string): LockOwner[] =>
  readdirSync(folder)
    .filter((name) => /^dir-[0-9a-f]{12}\.lock$/.test(name))
    .map((name) => findLockHolder(join(folder, name)))
    .filter((holder) => holder !== undefined);

const refuse = (dir: string, holder: LockOwner): AppError => {
  const other = dirOf(holder);
  return new AppError(
    "locked",
    `${dir} is already watched by the ${LABEL}${other} (pid ${holder.pid}, since ${holder.since}); stop that one first, or watch another directory with --dir`,
    { details: { holder } },
  );
};

/**
 * Claims directories for one steerer. Two that watch the same workers would restart each of them twice, so
 * a directory within a watched one, or around it, is refused as well.
 * @throws AppError `locked` (exit 75) that names the holder
 */
export const claimDirs = async (
  { clock, home }: { clock: Clock; home: string },
  dirs: readonly string[],
): Promise<{ release: () => void }> => {
  const folder = steerFolder(home);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  // One claim at a time: looking at the neighbours and taking the lock must not interleave.
  const door = await waitForLock(join(folder, "claim.lock"), "a steerer that starts", { clock });
  const held: FileLock[] = [];
  const release = () => {
    for (const lock of held) lock.release();
  };
  try {
    const holders = listHolders(folder);
    for (const dir of dirs) {
      const near = holders.find((holder) => isWithin(dir, dirOf(holder)) || isWithin(dirOf(holder), dir));
      if (near) throw refuse(dir, near);
      const { lock, holder } = tryLock(join(folder, `dir-${dirKey(dir)}.lock`), { label: `${LABEL}${dir}` });
      if (!lock) throw refuse(dir, holder);
      held.push(lock);
    }
    return { release };
  } catch (error) {
    release();
    throw error;
  } finally {
    door.release();
  }
};
