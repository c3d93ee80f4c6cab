import {
  FIELDS,
  HIGH,
  MISSING,
  NOT_LISTED,
  type PackedLooks,
  type QuickFiles,
  secondsOf,
  SHORT_BYTES,
} from "./looks.ts";
import { fs as nodeFs } from "./node-modules.ts";

const nameAt = (names: Uint8Array, at: number): string =>
  Buffer.from(names.subarray(at, names.indexOf(0, at))).toString("utf8");

export const nodeFiles = (): QuickFiles => {
  const fs = nodeFs();
  const stat = (path: string) => fs.statSync(path, { throwIfNoEntry: false });
  // A date just below a whole millisecond is rounded up to it where it is told with a fraction.
  const wholeMs = (path: string, mtimeMs: number): number =>
    Number.isInteger(mtimeMs) ? Number(fs.statSync(path, { bigint: true }).mtimeMs) : mtimeMs;
  const isDate = (mtimeMs: number, seconds: number | undefined, ms: number | undefined): boolean => {
    const [foundSeconds, foundMs] = secondsOf(mtimeMs);
    return foundSeconds === seconds && foundMs === ms;
  };
  const isSameFile = (path: string, files: Int32Array, at: number): boolean => {
    const found = stat(path);
    if (files[at + 4] === MISSING) return !found?.isFile();
    return (
      found !== undefined &&
      (found.size | 0) === files[at + 1] &&
      Math.trunc(found.size / HIGH) === files[at + 2] &&
      isDate(wholeMs(path, found.mtimeMs), files[at + 3], files[at + 4])
    );
  };
  const isSameFolder = (path: string, seconds: number | undefined, ms: number | undefined): boolean => {
    if (ms === NOT_LISTED) return true;
    const found = stat(path);
    return ms === MISSING ? !found : found !== undefined && isDate(wholeMs(path, found.mtimeMs), seconds, ms);
  };
  const isSame = ({ folders, files, names }: PackedLooks): boolean => {
    for (let at = 0; at < folders.length; at += FIELDS) {
      const path = nameAt(names, folders[at] ?? 0);
      if (!isSameFolder(path, folders[at + 1], folders[at + 2])) return false;
      for (let file = folders[at + 3] ?? 0; file < (folders[at + 4] ?? 0); file += 1)
        if (!isSameFile(`${path}/${nameAt(names, files[file * FIELDS] ?? 0)}`, files, file * FIELDS))
          return false;
    }
    return true;
  };
  const shared = Buffer.allocUnsafeSlow(SHORT_BYTES);
  const readInto = (handle: number, bytes: Buffer, position: number): Buffer => {
    let done = 0;
    while (done < bytes.length) {
      const read = fs.readSync(handle, bytes, done, bytes.length - done, position + done);
      if (read === 0) break;
      done += read;
    }
    return bytes.subarray(0, done);
  };
  return {
    open: (path) => fs.openSync(path, "r"),
    size: (handle) => fs.fstatSync(handle).size,
    read: (handle, length, position) => readInto(handle, Buffer.allocUnsafeSlow(length), position),
    readShort: (handle, length, position) =>
      readInto(
        handle,
        length > SHORT_BYTES ? Buffer.allocUnsafeSlow(length) : shared.subarray(0, length),
        position,
      ),
    close: (handle) => fs.closeSync(handle),
    isTerminal: (descriptor) => {
      const found = fs.fstatSync(descriptor);
      return found.isCharacterDevice() && found.rdev !== fs.statSync("/dev/null").rdev;
    },
    write: (descriptor, bytes) => fs.writeSync(descriptor, bytes),
    isSame: (looks) => {
      try {
        return isSame(looks);
      } catch {
        return false; // closed to us meanwhile: whoever lists it anew says so
      }
    },
  };
};
