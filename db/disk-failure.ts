import { statfsSync } from "node:fs";
import { dirname } from "node:path";
import sqlite from "node-sqlite3-wasm";
import { AppError } from "../core/errors.ts";

/** With less room than this a write that failed is taken to have failed for it. */
const NO_ROOM_BYTES = 8 * 1024 * 1024;
const RETRY_AFTER_SECONDS = 30;

const isOutOfRoom = (path: string): boolean => {
  try {
    const { bavail, bsize } = statfsSync(dirname(path));
    return bavail * bsize < NO_ROOM_BYTES;
  } catch {
    return false;
  }
};

/**
 * The one place where a failure of the disk below SQLite becomes one of ours; everything else is returned as it
 * is. SQLite's WASM build calls a full disk "disk I/O error", too.
 */
export const toDiskFailure = (error: unknown, path: string): unknown => {
  if (!(error instanceof sqlite.SQLite3Error)) return error;
  const isFull = error.message.includes("database or disk is full");
  if (!isFull && !error.message.includes("disk I/O error")) return error;
  const [code, why] =
    isFull || isOutOfRoom(path)
      ? (["storage-full", "the disk is full; free some room and try again"] as const)
      : (["unavailable", `${error.message}; check the disk and its mount`] as const);
  return new AppError(code, `cannot use ${path}: ${why}`, {
    cause: error,
    publicMessage: `The database cannot be used: ${why}`,
    details: { retryAfterSeconds: RETRY_AFTER_SECONDS },
  });
};
