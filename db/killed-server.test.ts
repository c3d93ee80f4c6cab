// @module-tag long

import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openDatabase } from "./open-database.ts";

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "nightshift-killed-"));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

/** A process that opens the database, commits two rows and dies inside a large transaction. */
const dieInsideTransaction = async (): Promise<void> => {
  const child = spawn(
    process.execPath,
    ["--import", "jiti/register", join(import.meta.dirname, "fixtures/die-inside-transaction.ts"), home],
    {
      stdio: "inherit",
      cwd: join(import.meta.dirname, ".."),
      env: { ...process.env, JITI_FS_CACHE: "false" },
    },
  );
  const signal = await new Promise((resolve) => child.on("exit", (_code, signal) => resolve(signal)));
  expect(signal).toBe("SIGKILL");
};

test("opens again after its owner was killed inside a transaction, with exactly what was committed", async () => {
  await dieInsideTransaction();
  expect(existsSync(join(home, "nightshift.sqlite.lock"))).toBe(true);
  const db = openDatabase(home);
  expect(db.get("SELECT count(*) AS rows, sum(amount) AS amount FROM money")).toEqual({
    rows: 2000,
    amount: 2000,
  });
  expect(db.get("PRAGMA integrity_check")).toEqual({ integrity_check: "ok" });
  db.close();
  expect(existsSync(join(home, "nightshift.sqlite.lock"))).toBe(false);
});
