import { randomBytes } from "node:crypto";
import {
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { AppError, errorText, systemCode } from "./errors.ts";
import { findIdentity } from "./process-identity.ts";

const NEXT_STEP: Record<string, string> = {
  ENOSPC: "the disk is full; free some room and try again",
  EDQUOT: "the disk quota is used up; free some room and try again",
  EROFS: "the file system is read-only; choose another folder",
  EACCES: "permission denied; check the owner and mode of the folder",
  EPERM: "permission denied; check the owner and mode of the folder",
};

/** Node says ENOENT of a folder that it may not make on a read-only file system. */
const nextStep = (error: unknown): string | undefined => {
  const code = systemCode(error) ?? "";
  const isFolder = error instanceof Error && "syscall" in error && error.syscall === "mkdir";
  return NEXT_STEP[code === "ENOENT" && isFolder ? "EROFS" : code];
};

/** The failure of a write as an `AppError` that names the file and the next step. */
export const writeFailure = (path: string, error: unknown): AppError => {
  const code = systemCode(error) ?? "";
  const full = code === "ENOSPC" || code === "EDQUOT";
  return new AppError(
    full ? "storage-full" : "unavailable",
    `cannot write ${path}: ${nextStep(error) ?? errorText(error)}`,
    { cause: error, publicMessage: `Writing failed: ${NEXT_STEP[code] ?? "see the log"}` },
  );
};

/** Makes what was created, renamed or removed in a folder survive a power cut. */
export const syncFolder = (path: string): void => {
  const handle = openSync(path, "r");
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
};

/** A name beside `path` that nobody else uses; leftovers of killed writers are told by it. */
export const temporaryBeside = (path: string): string =>
  join(dirname(path), `.${basename(path)}.${process.pid}.${randomBytes(4).toString("hex")}.tmp`);

/**
 * Replaces a file so that after kill -9 or a power cut it is wholly old or wholly new: temporary file in
 * the same folder, fsync, rename, fsync of the folder. Missing folders are made (mode 700).
 * @throws AppError `storage-full` or `unavailable`; the old file is then untouched and nothing is left over.
 */
export const writeFileDurably = (
  path: string,
  content: string | Uint8Array,
  { mode = 0o644 }: { mode?: number } = {},
): void => {
  const temporary = temporaryBeside(path);
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    const handle = openSync(temporary, "wx", mode);
    try {
      writeFileSync(handle, content);
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
    renameSync(temporary, path);
    syncFolder(dirname(path));
  } catch (error) {
    removeQuietly(temporary);
    throw writeFailure(path, error);
  }
};

/** The failure that is being reported matters more than one of its clean-up (`force` forgives only ENOENT). */
export const removeQuietly = (path: string): void => {
  try {
    rmSync(path, { force: true });
  } catch {
    return;
  }
};

/**
 * Removes what writers that were killed half-way left beside a file. Temporaries of living processes stay.
 */
export const sweepTemporaries = (folder: string): void => {
  for (const name of existsSync(folder) ? readdirSync(folder) : []) {
    const pid = /^\..+\.(\d+)\.[0-9a-f]{8}\.tmp$/.exec(name)?.[1];
    if (pid !== undefined && findIdentity(Number(pid)) === undefined) removeQuietly(join(folder, name));
  }
};

// Not waiting: where somebody put a FIFO, nobody may ever read it.
const APPEND = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NONBLOCK;

/**
 * Appends whole lines in one write (O_APPEND), so that several writers never mix inside a line.
 * @throws AppError as `writeFileDurably`
 */
export const appendLines = (
  path: string,
  lines: readonly string[],
  { sync = false, mode = 0o644 }: { sync?: boolean; mode?: number } = {},
): void => {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    const handle = openSync(path, APPEND, mode);
    try {
      const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(""));
      for (let done = 0; done < bytes.length;) done += writeSync(handle, bytes, done);
      if (sync) fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
  } catch (error) {
    throw writeFailure(path, error);
  }
};
