import {
  FIELDS,
  HIGH,
  MISSING,
  NOT_LISTED,
  type PackedLooks,
  type QuickFiles,
  SHORT_BYTES,
} from "./looks.ts";
import { nodeFiles } from "./node-files.ts";

type Libc = {
  open: (path: number, flags: number) => number;
  pread: (handle: number, into: number, length: number, position: number) => number;
  write: (descriptor: number, from: number, length: number) => number;
  close: (handle: number) => number;
  isatty: (descriptor: number) => number;
  statx: (folder: number, name: number, flags: number, mask: number, into: number) => number;
};
type Ffi = {
  dlopen: (name: string, symbols: Record<string, { args: string[]; returns: string }>) => { symbols: Libc };
  ptr: (bytes: ArrayBufferView) => number;
};

/**
 * What `bun:ffi` itself is made of: without the module, whose own code takes half a millisecond to load and a call
 * of it in between at every turn. Where a Bun has it no more, the module.
 */
const findFfi = (): Ffi => {
  const { FFI } = (globalThis as { Bun?: { FFI?: Partial<Ffi> } }).Bun ?? {};
  if (typeof FFI?.dlopen === "function" && typeof FFI.ptr === "function") return FFI as Ffi;
  // Bun serves its own modules by the same function; Node's types do not know them.
  return process.getBuiltinModule("bun:ffi") as unknown as Ffi;
};

const O_CLOEXEC = 0x80000;
const AT_FDCWD = -100;
const AT_EMPTY_PATH = 0x1000;
const STATX_SIZE_AND_MTIME = 0x240;
const STATX_BYTES = 256;

// In place of a handle.
const NOTHING_TO_COMPARE = -1;
const CHANGED = -2;

/**
 * On Bun for Linux the C library itself: no module of Node's has to be loaded, and a file is compared by its
 * name within an open folder, without an object. `struct statx` is the same on every machine.
 */
export const libcFiles = (): QuickFiles => {
  const { dlopen, ptr } = findFfi();
  const { symbols: libc } = dlopen("libc.so.6", {
    open: { args: ["ptr", "i32"], returns: "i32" },
    pread: { args: ["i32", "ptr", "u64_fast", "i64_fast"], returns: "i64_fast" },
    write: { args: ["i32", "ptr", "u64_fast"], returns: "i64_fast" },
    close: { args: ["i32"], returns: "i32" },
    isatty: { args: ["i32"], returns: "i32" },
    statx: { args: ["i32", "ptr", "i32", "u32", "ptr"], returns: "i32" },
  });
  // Over a buffer of its own: the storage of a small array without one may move, and its address with it.
  const found = new Int32Array(new ArrayBuffer(STATX_BYTES + 4));
  const into = ptr(found);
  // A name without letters, for a handle itself; it lies behind what statx writes, and lives as long.
  const nothing = into + STATX_BYTES;
  const isFolderSame = (seconds: number | undefined, ms: number | undefined): boolean =>
    found[28] === seconds && (((found[30] as number) / 1e6) | 0) === ms;
  let fallback: QuickFiles | undefined;
  const node = (): QuickFiles => (fallback ??= nodeFiles());
  const shared = Buffer.allocUnsafeSlow(SHORT_BYTES);
  const sharedAt = ptr(shared);
  const read = (handle: number, length: number, position: number): Buffer => {
    if (length <= 0) return Buffer.alloc(0);
    const bytes = Buffer.allocUnsafeSlow(length);
    return libc.pread(handle, ptr(bytes), length, position) === length
      ? bytes
      : node().read(handle, length, position);
  };
  const isEmptySame = (path: number, seconds: number | undefined, ms: number): boolean => {
    const isThere = libc.statx(AT_FDCWD, path, 0, STATX_SIZE_AND_MTIME, into) === 0;
    return isThere ? isFolderSame(seconds, ms) : ms === MISSING;
  };
  const isListSame = (folder: number, seconds: number | undefined, ms: number): boolean =>
    ms === NOT_LISTED ||
    (libc.statx(folder, nothing, AT_EMPTY_PATH, STATX_SIZE_AND_MTIME, into) === 0 &&
      isFolderSame(seconds, ms));
  const areAllMissing = (files: Int32Array, from: number, to: number): boolean => {
    for (let at = from; at < to; at += FIELDS) if (files[at + 4] !== MISSING) return false;
    return true;
  };
  /** An open folder whose files are to be compared; that it has none to compare; or that it is another one. */
  const enter = ({ folders, files }: PackedLooks, at: number, start: number): number => {
    const name = start + (folders[at] as number);
    const seconds = folders[at + 1];
    const ms = folders[at + 2] as number;
    const first = (folders[at + 3] as number) * FIELDS;
    const end = (folders[at + 4] as number) * FIELDS;
    if (first === end) return isEmptySame(name, seconds, ms) ? NOTHING_TO_COMPARE : CHANGED;
    const folder = libc.open(name, O_CLOEXEC);
    if (folder < 0) return ms < 0 && areAllMissing(files, first, end) ? NOTHING_TO_COMPARE : CHANGED;
    if (isListSame(folder, seconds, ms)) return folder;
    libc.close(folder);
    return CHANGED;
  };
  const isFileSame = (folder: number, start: number, files: Int32Array, at: number): boolean => {
    const isThere = libc.statx(folder, start + (files[at] as number), 0, STATX_SIZE_AND_MTIME, into) === 0;
    const ms = files[at + 4] as number;
    if (!isThere || ms === MISSING) return !isThere && ms === MISSING;
    return found[10] === files[at + 1] && found[11] === files[at + 2] && isFolderSame(files[at + 3], ms);
  };
  /**
   * In one function, two files at a turn: so few calls and turns for hundreds of files that the runtime does not
   * start its compiler, which takes longer than all of them.
   */
  const isSame = (looks: PackedLooks): boolean => {
    const { folders, files, names } = looks;
    const { statx } = libc;
    const start = ptr(names);
    for (let row = 0; row < folders.length; row += FIELDS) {
      if ((folders[row] as number) >= names.length) return false;
      const folder = enter(looks, row, start);
      if (folder === CHANGED) return false;
      if (folder === NOTHING_TO_COMPARE) continue;
      const end = (folders[row + 4] as number) * FIELDS;
      let at = (folders[row + 3] as number) * FIELDS;
      let isTheSame = true;
      for (; isTheSame && at + FIELDS < end; at += 2 * FIELDS) {
        const next = at + FIELDS;
        isTheSame =
          ((statx(folder, start + (files[at] as number), 0, STATX_SIZE_AND_MTIME, into) === 0 &&
            found[10] === files[at + 1] &&
            found[11] === files[at + 2] &&
            found[28] === files[at + 3] &&
            (((found[30] as number) / 1e6) | 0) === files[at + 4]) ||
            isFileSame(folder, start, files, at)) &&
          ((statx(folder, start + (files[next] as number), 0, STATX_SIZE_AND_MTIME, into) === 0 &&
            found[10] === files[next + 1] &&
            found[11] === files[next + 2] &&
            found[28] === files[next + 3] &&
            (((found[30] as number) / 1e6) | 0) === files[next + 4]) ||
            isFileSame(folder, start, files, next));
      }
      if (isTheSame && at < end) isTheSame = isFileSame(folder, start, files, at);
      libc.close(folder);
      if (!isTheSame) return false;
    }
    // Asked for last, so that they are not collected before.
    return names.length > 0;
  };
  return {
    open: (path) => {
      // Not by Buffer.from: the first call of it takes a tenth of a millisecond.
      const isShort = path.length < SHORT_BYTES / 3;
      if (isShort) shared[shared.write(path)] = 0;
      const handle = isShort ? libc.open(sharedAt, O_CLOEXEC) : -1;
      return handle < 0 ? node().open(path) : handle;
    },
    size: (handle) => {
      if (libc.statx(handle, nothing, AT_EMPTY_PATH, STATX_SIZE_AND_MTIME, into) !== 0)
        return node().size(handle);
      return (found[11] as number) * HIGH + ((found[10] as number) >>> 0);
    },
    read,
    readShort: (handle, length, position) => {
      if (length > SHORT_BYTES || length <= 0) return read(handle, length, position);
      return libc.pread(handle, sharedAt, length, position) === length
        ? shared.subarray(0, length)
        : node().read(handle, length, position);
    },
    close: (handle) => void libc.close(handle),
    isTerminal: (descriptor) => libc.isatty(descriptor) === 1,
    write: (descriptor, bytes) => {
      const written = bytes.length === 0 ? 0 : libc.write(descriptor, ptr(bytes), bytes.length);
      return written < 0 ? node().write(descriptor, bytes) : written;
    },
    isSame,
  };
};
