import { readdirSync } from "node:fs";
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
