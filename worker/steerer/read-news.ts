import { parseJson } from "../../core/parse-json.ts";
import { statSync } from "node:fs";
import { systemCode } from "../../core/errors.ts";
import { readLinesFrom } from "../../core/read-file.ts";
import type { CareRecord } from "./ledger.ts";

export type WorkerEvent = { at: string; type: string; [key: string]: unknown };

const MAX_READ = 8 * 1024 * 1024;

/** None for a line that was cut by a kill or a full disk. */
const parse = (line: string): WorkerEvent[] => {
  const value = parseJson(line) as WorkerEvent | undefined;
  return typeof value?.type === "string" && typeof value.at === "string" ? [value] : [];
};

const readFrom = (path: string, from: number): { events: WorkerEvent[]; end: number } => {
  const { text, offset } = readLinesFrom(path, from, MAX_READ);
  return { events: text.split("\n").flatMap(parse), end: offset };
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
