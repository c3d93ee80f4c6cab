import { closeSync, constants, fstatSync, openSync, readFileSync, writeSync } from "node:fs";
import { systemCode } from "./errors.ts";

/** How often a lock's holder writes into it. */
const BEAT_MS = 20_000;

export type Heartbeat = { stop: () => void };

export type BeatOptions = {
  /** how often; by default every 20 s */
  everyMs?: number | undefined;
  /** told once when the file is gone or somebody else's */
  onLost?: (() => void) | undefined;
};

/**
 * Writes a lock file again, in place, at an interval: its date then says that the holder is alive, by the clock
 * of the file system, to those who cannot see the holder's process. A file that is no longer ours is not touched.
 */
export const startHeartbeat = (
  path: string,
  isOurs: (text: string) => boolean,
  { everyMs = BEAT_MS, onLost }: BeatOptions = {},
): Heartbeat => {
  const timer = setInterval(() => {
    if (beat(path, isOurs)) return;
    clearInterval(timer);
    onLost?.();
  }, everyMs);
  timer.unref();
  return { stop: () => clearInterval(timer) };
};

/** @returns false when the file is gone or somebody else's */
const beat = (path: string, isOurs: (text: string) => boolean): boolean => {
  let handle: number | undefined;
  try {
    handle = openSync(path, constants.O_RDWR | constants.O_NONBLOCK | constants.O_NOFOLLOW);
    if (!fstatSync(handle).isFile()) return false;
    const text = readFileSync(handle, "utf8");
    if (!isOurs(text)) return false;
    writeSync(handle, text, 0);
    return true;
  } catch (error) {
    return systemCode(error) !== "ENOENT"; // a full disk, a server that is away: the next beat may come through
  } finally {
    if (handle !== undefined) closeSync(handle);
  }
};
