import { closeSync, readSync, statSync } from "node:fs";
import { systemCode } from "../../core/errors.ts";
import { openToRead } from "../../core/read-file.ts";
import type { CareRecord } from "./ledger.ts";

export type WorkerEvent = { at: string; type: string; [key: string]: unknown };

const MAX_READ = 8 * 1024 * 1024;

const parse = (line: string): WorkerEvent[] => {
  try {
    const value = JSON.parse(line) as WorkerEvent;
    return typeof value?.type === "string" && typeof value.at === "string" ? [value] : [];
  } catch {
    return []; // a line that was cut by a kill or a full disk
  }
};

const readFrom = (path: string, offset: number): { events: WorkerEvent[]; end: number } => {
  const handle = openToRead(path);
  try {
    const size = statSync(path).size;
    const buffer = Buffer.alloc(Math.min(MAX_READ, Math.max(0, size - offset)));
    const got = readSync(handle, buffer, 0, buffer.length, offset);
    const lastEnd = buffer.subarray(0, got).lastIndexOf(0x0a) + 1;
    // A line longer than all that is read at once is passed over, or it would be read for ever.
    const end = lastEnd === 0 && got === MAX_READ ? got : lastEnd;
    return { events: buffer.subarray(0, end).toString("utf8").split("\n").flatMap(parse), end: offset + end };
  } finally {
    closeSync(handle);
  }
};

/**
 * The events of a worker that were not read before, through a rotation of the file: what was left in the
 * rotated one comes first.
 */
export const readNews = (
  path: string,
  read: CareRecord["read"],
): { events: WorkerEvent[]; read: CareRecord["read"] } => {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (!stat) return { events: [], read };
  if (stat.ino === read.inode && stat.size >= read.offset) {
    const { events, end } = readFrom(path, read.offset);
    return { events, read: { inode: stat.ino, offset: end } };
  }
  const rest = readRotated(`${path}.1`, read);
  const { events, end } = readFrom(path, 0);
  return { events: [...rest, ...events], read: { inode: stat.ino, offset: end } };
};

const readRotated = (path: string, { inode, offset }: CareRecord["read"]): WorkerEvent[] => {
  try {
    return statSync(path).ino === inode ? readFrom(path, offset).events : [];
  } catch (error) {
    if (systemCode(error) === "ENOENT") return [];
    throw error;
  }
};
