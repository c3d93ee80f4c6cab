import {
  closeSync,
  copyFileSync,
  existsSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readSync,
  rmSync,
  statSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AppError } from "../core/errors.ts";
import { findIdentity } from "../core/process-identity.ts";

const walHeader = (path: string): string => {
  if (!existsSync(`${path}-wal`)) return "";
  const handle = openSync(`${path}-wal`, "r");
  try {
    const header = Buffer.alloc(32);
    readSync(handle, header, 0, 32, 0);
    return header.toString("hex");
  } finally {
    closeSync(handle);
  }
};

const stamp = (path: string): string => {
  const { size, mtimeMs } = statSync(path);
  return `${size}:${mtimeMs}:${walHeader(path)}`;
};

const COPY_TRIES = 20;
const COPIES = "nightshift-db-";

/** Copies of a process that was killed: its number is in the name, and it is no more. */
const sweepCopies = (): void => {
  for (const name of readdirSync(tmpdir())) {
    const pid = name.startsWith(COPIES) ? /^(\d+)-/.exec(name.slice(COPIES.length))?.[1] : undefined;
    if (pid === undefined || findIdentity(Number(pid)) !== undefined) continue;
    try {
      rmSync(join(tmpdir(), name), { recursive: true, force: true });
    } catch {
      continue; // another user's
    }
  }
};

/**
 * A copy of a database and its log that belong together: frames appended meanwhile do no harm, but when
 * the log was restarted or pages moved into the file between the two copies, they are taken again.
 */
export const copyDatabase = (path: string): { path: string; remove: () => void } => {
  sweepCopies();
  const folder = mkdtempSync(join(tmpdir(), `${COPIES}${process.pid}-`));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  const copy = join(folder, "copy.db");
  for (let tries = 0; tries < COPY_TRIES; tries += 1) {
    const before = stamp(path);
    copyFileSync(path, copy);
    rmSync(`${copy}-wal`, { force: true });
    if (existsSync(`${path}-wal`)) copyFileSync(`${path}-wal`, `${copy}-wal`);
    if (stamp(path) === before) return { path: copy, remove };
  }
  remove();
  throw new AppError("unavailable", `${path} changes too often to be copied; try again in a moment`);
};
