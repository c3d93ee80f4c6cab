import { closeSync, readSync, statSync } from "node:fs";
import type { Clock } from "../../core/clock.ts";
import { systemCode } from "../../core/errors.ts";
import { openToRead, readLinesFrom } from "../../core/read-file.ts";

const POLL_MS = 200;
const CHUNK = 64 * 1024;
const LINE_END = 0x0a;

/** The last lines of a log (of the rotated one before it, too, when it is short), and where it ends. */
export const readLastLines = (
  path: string,
  count: number,
): { lines: string[]; offset: number; rotated: number } => {
  const rotated = inodeOf(`${path}.1`);
  const now = readEnd(path, count);
  if (now.lines.length >= count) return { ...now, rotated };
  const before = readEnd(`${path}.1`, count - now.lines.length);
  return { ...now, rotated, lines: [...before.lines, ...now.lines] };
};

const inodeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.ino ?? 0;

const readEnd = (path: string, count: number): { lines: string[]; offset: number } => {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (!stat) return { lines: [], offset: 0 };
  const handle = openToRead(path);
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
    return { lines: count === 0 ? [] : lines.slice(-count), offset: stat.size };
  } finally {
    closeSync(handle);
  }
};

/** Calls back for each piece that is appended, through rotations, until the signal aborts or `isOver` says so. */
export const followLog = async (
  { clock, signal, isOver }: { clock: Clock; signal: AbortSignal; isOver: () => boolean },
  { path, offset, rotated }: { path: string; offset: number; rotated: number },
  onText: (text: string) => void,
): Promise<void> => {
  let at = offset;
  let known = rotated;
  const drain = () => {
    const before = statSync(`${path}.1`, { throwIfNoEntry: false });
    const size = statSync(path, { throwIfNoEntry: false })?.size;
    if (size === undefined) return;
    if (before && before.ino !== known) {
      if (size === before.size) return; // copied, and not emptied yet: there is nothing new in it
      // What was appended between the last look and the rotation is the end of the rotated file.
      if (before.size > at) copy(`${path}.1`, at, onText);
      known = before.ino;
      at = 0;
    } else if (size < at) {
      if (inodeOf(`${path}.1`) !== known) return; // rotated just now: the next look begins there
      at = 0;
    }
    if (size > at) at = copy(path, at, onText);
  };
  for (;;) {
    const wasOver = isOver();
    drain();
    if (wasOver || signal.aborted) return;
    await clock.sleep(POLL_MS, signal);
  }
};

const copy = (path: string, from: number, onText: (text: string) => void): number => {
  try {
    const { text, offset } = readLinesFrom(path, from);
    if (text !== "") onText(text);
    return offset;
  } catch (error) {
    if (systemCode(error) === "ENOENT") return from;
    throw error;
  }
};
