import { closeSync, fstatSync, openSync, readSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { AppError, systemCode } from "../../core/errors.ts";

/** Beside the workers' states; no worker's name begins with a dot. */
export const ledgerFolder = (home: string): string => join(home, ".ledger");

/** A session's lines are all in the file of the day (UTC) on which it began. */
export const ledgerFile = (home: string, startedAt: string): string =>
  join(ledgerFolder(home), `${startedAt.slice(0, 10)}.jsonl`);

/** The longest session takes a week (`sessionMinutes`); a day more for what comes after it, and for time zones. */
const LONGEST_SESSION_MS = 8 * 24 * 3_600_000;

/** The files that lines written since then may be in, the oldest first. @throws AppError `unavailable` */
export const listLedgerFiles = (home: string, sinceMs = 0): string[] => {
  const folder = ledgerFolder(home);
  const firstDay = new Date(Math.max(0, sinceMs - LONGEST_SESSION_MS)).toISOString().slice(0, 10);
  try {
    return readdirSync(folder)
      .filter((name) => /^\d{4}-\d\d-\d\d\.jsonl$/.test(name) && name >= firstDay)
      .toSorted()
      .map((name) => join(folder, name));
  } catch (error) {
    if (systemCode(error) === "ENOENT") return [];
    throw new AppError("unavailable", `cannot read the ledger in ${folder}: ${String(error)}`, {
      cause: error,
    });
  }
};

/** The whole lines that a file has from `offset` on, and where the next ones will begin. */
export const readLinesFrom = (path: string, offset: number): { lines: string[]; offset: number } => {
  const handle = openSync(path, "r");
  try {
    const bytes = Buffer.alloc(Math.max(0, fstatSync(handle).size - offset));
    let length = 0;
    while (length < bytes.length) {
      const read = readSync(handle, bytes, length, bytes.length - length, offset + length);
      if (read === 0) break;
      length += read;
    }
    const end = bytes.subarray(0, length).lastIndexOf("\n") + 1;
    const lines = bytes
      .subarray(0, end)
      .toString("utf8")
      .split("\n")
      .filter((line) => line !== "");
    return { lines, offset: offset + end };
  } finally {
    closeSync(handle);
  }
};
