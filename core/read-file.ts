import { closeSync, constants, fstatSync, openSync, readFileSync, readSync } from "node:fs";
import { AppError, systemCode } from "./errors.ts";

/** Without the byte order mark that some editors put before a text. */
export const withoutMark = (text: string): string => (text.startsWith("\uFEFF") ? text.slice(1) : text);

/** Nothing that is read whole is larger; what is, was put there by accident or to do harm. */
const MAX_BYTES = 256 * 1024 * 1024;

/**
 * Opens a file for reading without ever waiting: a FIFO, whose opening would wait for a writer for ever and be
 * deaf to SIGTERM meanwhile, is refused, and so are sockets and devices.
 * @throws AppError `unavailable` that names it; the system's own error where there is none or it is closed to us
 */
export const openToRead = (path: string, { isLinkFollowed = true } = {}): number => {
  const { O_RDONLY, O_NONBLOCK, O_NOCTTY, O_NOFOLLOW } = constants;
  const flags = O_RDONLY | O_NONBLOCK | O_NOCTTY | (isLinkFollowed ? 0 : O_NOFOLLOW);
  const handle = openAtOnce(path, flags);
  const stat = fstatSync(handle);
  // A folder is refused by the first read, in the system's own words.
  const problem =
    stat.isFile() || stat.isDirectory()
      ? stat.size > MAX_BYTES
        ? `has ${stat.size} bytes; the most is ${MAX_BYTES}`
        : undefined
      : `is ${stat.isFIFO() ? "a FIFO" : "a device"}, not a file`;
  if (problem === undefined) return handle;
  closeSync(handle);
  throw new AppError("unavailable", `${path} ${problem}; move it away`);
};

const openAtOnce = (path: string, flags: number): number => {
  try {
    return openSync(path, flags);
  } catch (error) {
    if (systemCode(error) !== "ENXIO") throw error;
    throw new AppError("unavailable", `${path} is a socket, not a file; move it away`, { cause: error });
  }
};

const LINE_END = 0x0a;

/**
 * The whole lines that a growing file has from `offset` on, and where the next ones begin: no letter of several
 * bytes is cut, and what is half written is read later. A line longer than `maxBytes` is passed over.
 */
export const readLinesFrom = (
  path: string,
  offset: number,
  maxBytes = Infinity,
): { text: string; offset: number } => {
  const handle = openToRead(path);
  try {
    const wanted = Math.max(0, Math.min(maxBytes, fstatSync(handle).size - offset));
    const bytes = Buffer.alloc(wanted);
    let got = 0;
    for (let read = -1; got < wanted && read !== 0; got += read)
      read = readSync(handle, bytes, got, wanted - got, offset + got);
    const end = bytes.subarray(0, got).lastIndexOf(LINE_END) + 1;
    const next = end === 0 && got === maxBytes ? got : end;
    return { text: bytes.subarray(0, end).toString("utf8"), offset: offset + next };
  } finally {
    closeSync(handle);
  }
};

/** The text of a file, or undefined when there is none. @throws as `openToRead` */
export const readFileIfThere = (path: string): string | undefined => {
  let handle: number;
  try {
    handle = openToRead(path);
  } catch (error) {
    if (systemCode(error) === "ENOENT" || systemCode(error) === "ENOTDIR") return undefined;
    throw error;
  }
  try {
    return readFileSync(handle, "utf8");
  } finally {
    closeSync(handle);
  }
};
