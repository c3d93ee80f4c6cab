import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { sweepTemporaries } from "../core/durable-file.ts";
import { AppError } from "../core/errors.ts";
import { type FileLock, tryLock } from "../core/file-lock.ts";
import { nightshiftHome } from "../core/paths.ts";
import type { ConversationPorts } from "./ports.ts";
import { finishPurge } from "./purging.ts";

const PATIENCE_MS = 10_000;
const LOOK_AGAIN_MS = 50;

/**
 * Takes a lock that others hold for moments only.
 * @throws AppError `locked`, naming the holder, when it does not come free in time
 */
export const waitForLock = async (path: string, { label }: { label: string }): Promise<FileLock> => {
  for (let waitedMs = 0; ; waitedMs += LOOK_AGAIN_MS) {
    const { lock, holder } = tryLock(path, { label });
    if (lock) return lock;
    if (waitedMs >= PATIENCE_MS)
      throw new AppError(
        "locked",
        `${path} is held by ${holder.label} (pid ${holder.pid}, since ${holder.since}); try again when it is done`,
      );
    await pause(LOOK_AGAIN_MS);
  }
};

/** Edits of conversations happen one after the other: each plans from what the one before it has left. */
export const withEditLock = async <T>(ports: ConversationPorts, edit: () => Promise<T>): Promise<T> => {
  const folder = join(nightshiftHome({ ...ports.env, HOME: ports.home }), "ctx");
  const lock = await waitForLock(join(folder, "edit.lock"), { label: "ctx" });
  try {
    // What a killed edit has left half-written may hold what a purge shall remove.
    sweepTemporaries(join(folder, "journal"));
    finishPurge(ports);
    return await edit();
  } finally {
    lock.release();
  }
};
