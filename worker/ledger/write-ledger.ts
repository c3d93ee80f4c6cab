import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { join } from "node:path";
import { appendLines } from "../../core/durable-file.ts";
import { AppError, systemCode } from "../../core/errors.ts";
import { type FileLock, tryLock } from "../../core/file-lock.ts";
import { describeHolder } from "../../core/lock-owner.ts";
import type { LedgerEntry } from "./entry.ts";
import { ledgerFile, ledgerFolder } from "./ledger-files.ts";

const LONGEST_WAIT_MS = 5_000;
const LOOK_AGAIN_MS = 2;

/** A line is written in a moment, so it is worth waiting for: nothing else of this process may come before it. */
const waitForLock = (home: string): FileLock => {
  const path = join(ledgerFolder(home), "write.lock");
  const nobody = new Int32Array(new SharedArrayBuffer(4));
  for (let waitedMs = 0; ; waitedMs += LOOK_AGAIN_MS) {
    const { lock, holder } = tryLock(path, { label: "the ledger" });
    if (lock) return lock;
    if (waitedMs >= LONGEST_WAIT_MS)
      throw new AppError("locked", `the ledger is held by ${describeHolder(holder)}`);
    Atomics.wait(nobody, 0, 0, LOOK_AGAIN_MS);
  }
};

/** A power cut or a full disk may have left half a line at the end: the next one must not be joined to it. */
const endsInside = (path: string): boolean => {
  let handle: number;
  try {
    handle = openSync(path, "r");
  } catch (error) {
    if (systemCode(error) === "ENOENT") return false;
    throw error;
  }
  try {
    const { size } = fstatSync(handle);
    const last = Buffer.alloc(1);
    return size > 0 && readSync(handle, last, 0, 1, size - 1) === 1 && last[0] !== 0x0a;
  } finally {
    closeSync(handle);
  }
};

/**
 * Writes an entry into the ledger that all workers of a home share: under its lock, whole, on the disk when it returns.
 * @throws AppError `locked`, `storage-full` or `unavailable`; the entry is then made good by the session's next one
 */
export const writeEntry = (home: string, startedAt: string, entry: LedgerEntry): void => {
  const path = ledgerFile(home, startedAt);
  const lock = waitForLock(home);
  try {
    appendLines(path, [...(endsInside(path) ? [""] : []), JSON.stringify(entry)], {
      sync: true,
      mode: 0o600,
    });
  } finally {
    lock.release();
  }
};
