import { closeSync, type FSWatcher, openSync, readSync, statSync, watch } from "node:fs";
import { createLineSplitter } from "./line-splitter.ts";

const POLL_MS = 250;
const CHUNK_BYTES = 1024 * 1024;

export type FileFollower = {
  /** reads what is new, now */
  read: () => void;
  close: () => void;
};

/**
 * Hands over the lines an agent appends to a file of its own, from an offset on: at once where the platform
 * tells of changes, else four times a second. A file that is not there yet is waited for.
 */
export const followFile = (path: string, from: number, onLine: (line: string) => void): FileFollower => {
  let offset = from;
  let isClosed = false;
  const lines = createLineSplitter(onLine);
  const buffer = Buffer.alloc(CHUNK_BYTES);

  const readNew = () => {
    const handle = openSync(path, "r");
    try {
      for (;;) {
        const bytes = readSync(handle, buffer, 0, buffer.length, offset);
        if (bytes === 0) return;
        offset += bytes;
        lines.write(buffer.subarray(0, bytes));
      }
    } finally {
      closeSync(handle);
    }
  };
  const read = () => {
    if (isClosed || fileSize(path) <= offset) return;
    try {
      readNew();
    } catch {
      // It went between two looks, or is closed to us for now: the next look tells.
    }
  };
  let watcher: FSWatcher | undefined;
  try {
    watcher = watch(path, read);
    watcher.on("error", () => undefined); // the poll goes on
  } catch {
    watcher = undefined;
  }
  const timer = setInterval(read, POLL_MS);
  read();
  return {
    read,
    close: () => {
      read();
      isClosed = true;
      clearInterval(timer);
      watcher?.close();
    },
  };
};

/** Bytes of a file; 0 where there is none. */
export const fileSize = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;
