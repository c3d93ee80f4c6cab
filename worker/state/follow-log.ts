import { closeSync, openSync, readSync, statSync } from "node:fs";
import type { Clock } from "../../core/clock.ts";
import { systemCode } from "../../core/errors.ts";

const POLL_MS = 200;
const CHUNK = 64 * 1024;
const LINE_END = 0x0a;

/** The last lines of a log (of the rotated one before it, too, when it is short), and where it ends. */
export const readLastLines = (
  path: string,
  count: number,
): { lines: string[]; offset: number; inode: number } => {
  const now = readEnd(path, count);
  if (now.lines.length >= count) return now;
  const before = readEnd(`${path}.1`, count - now.lines.length);
  return { ...now, lines: [...before.lines, ...now.lines] };
};

const readEnd = (path: string, count: number): { lines: string[]; offset: number; inode: number } => {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (!stat) return { lines: [], offset: 0, inode: 0 };
  const handle = openSync(path, "r");
  try {
    const chunks: Buffer[] = [];
    let lineEnds = 0;
    for (let from = stat.size; from > 0 && lineEnds <= count;) {
      const start = Math.max(0, from - CHUNK);
      const chunk = Buffer.alloc(from - start);
      readSync(handle, chunk, 0, chunk.length, start);
      chunks.unshift(chunk);
      for (const byte of chunk) if (byte === LINE_END) lineEnds++;
      from = start;
    }
    const lines = Buffer.concat(chunks).toString("utf8").split("\n");
    if (lines.at(-1) === "") lines.pop();
    return { lines: count === 0 ? [] : lines.slice(-count), offset: stat.size, inode: stat.ino };
  } finally {
    closeSync(handle);
  }
};

/** Calls back for each piece that is appended, through rotations, until the signal aborts or `isOver` says so. */
export const followLog = async (
  { clock, signal, isOver }: { clock: Clock; signal: AbortSignal; isOver: () => boolean },
  { path, offset, inode }: { path: string; offset: number; inode: number },
  onText: (text: string) => void,
): Promise<void> => {
  let at = offset;
  let known = inode;
  const drain = () => {
    const stat = statSync(path, { throwIfNoEntry: false });
    if (!stat) return;
    if (stat.ino !== known || stat.size < at) {
      finishRotated(path, { inode: known, offset: at }, onText);
      known = stat.ino;
      at = 0;
    }
    if (stat.size > at) at += copy(path, at, stat.size, onText);
  };
  for (;;) {
    const wasOver = isOver();
    drain();
    if (wasOver || signal.aborted) return;
    await clock.sleep(POLL_MS, signal);
  }
};

/** What was appended between the last look and the rotation is the end of the rotated file. */
const finishRotated = (
  path: string,
  { inode, offset }: { inode: number; offset: number },
  onText: (text: string) => void,
): void => {
  const rotated = `${path}.1`;
  const stat = statSync(rotated, { throwIfNoEntry: false });
  if (stat?.ino === inode && stat.size > offset) copy(rotated, offset, stat.size, onText);
};

const copy = (path: string, from: number, to: number, onText: (text: string) => void): number => {
  try {
    const handle = openSync(path, "r");
    try {
      const buffer = Buffer.alloc(to - from);
      const read = readSync(handle, buffer, 0, buffer.length, from);
      // Only whole lines: a letter of several bytes is never cut.
      const end = buffer.subarray(0, read).lastIndexOf(LINE_END) + 1;
      if (end > 0) onText(buffer.subarray(0, end).toString("utf8"));
      return end;
    } finally {
      closeSync(handle);
    }
  } catch (error) {
    if (systemCode(error) === "ENOENT") return 0;
    throw error;
  }
};
