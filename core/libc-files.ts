import { AT_EMPTY_PATH, O_CLOEXEC, openLibc, STATX_SIZE_AND_MTIME } from "./libc.ts";
import { areLooksSame } from "./libc-looks.ts";
import { HIGH, type QuickFiles, SHORT_BYTES } from "./looks.ts";
import { nodeFiles } from "./node-files.ts";

/**
 * On Bun for Linux the C library itself: no module of Node's has to be loaded, and a file is compared by its
 * name within an open folder, without an object.
 */
export const libcFiles = (): QuickFiles => {
  const stat = openLibc();
  const { libc, ptr, found, into, nothing } = stat;
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
    isSame: (looks) => areLooksSame(stat, looks),
  };
};
