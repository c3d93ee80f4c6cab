import { AT_EMPTY_PATH, O_CLOEXEC, type Stat, STATX_SIZE_AND_MTIME } from "./libc.ts";
import { FIELDS, MISSING, NOT_LISTED, type PackedLooks } from "./looks.ts";

const AT_FDCWD = -100;

// In place of a handle.
const NOTHING_TO_COMPARE = -1;
const CHANGED = -2;

// Where in `struct statx`, which is the same on every machine, size and date are; in fours of bytes.
const SIZE = 10;
const SIZE_HIGH = 11;
const SECONDS = 28;
const NANOSECONDS = 30;

const isDateSame = ({ found }: Stat, seconds: number | undefined, ms: number | undefined): boolean =>
  found[SECONDS] === seconds && (((found[NANOSECONDS] as number) / 1e6) | 0) === ms;

const areAllMissing = (files: Int32Array, from: number, to: number): boolean => {
  for (let at = from; at < to; at += FIELDS) if (files[at + 4] !== MISSING) return false;
  return true;
};

/** An open folder whose files are to be compared; that it has none to compare; or that it is another one. */
const enter = (stat: Stat, { folders, files }: PackedLooks, at: number, start: number): number => {
  const { libc, into, nothing } = stat;
  const name = start + (folders[at] as number);
  const seconds = folders[at + 1];
  const ms = folders[at + 2] as number;
  const first = (folders[at + 3] as number) * FIELDS;
  const end = (folders[at + 4] as number) * FIELDS;
  if (first === end) {
    const isThere = libc.statx(AT_FDCWD, name, 0, STATX_SIZE_AND_MTIME, into) === 0;
    return (isThere ? isDateSame(stat, seconds, ms) : ms === MISSING) ? NOTHING_TO_COMPARE : CHANGED;
  }
  const folder = libc.open(name, O_CLOEXEC);
  if (folder < 0) return ms < 0 && areAllMissing(files, first, end) ? NOTHING_TO_COMPARE : CHANGED;
  const isListSame =
    ms === NOT_LISTED ||
    (libc.statx(folder, nothing, AT_EMPTY_PATH, STATX_SIZE_AND_MTIME, into) === 0 &&
      isDateSame(stat, seconds, ms));
  if (isListSame) return folder;
  libc.close(folder);
  return CHANGED;
};

const isFileSame = (stat: Stat, folder: number, start: number, expected: Int32Array): boolean => {
  const { libc, found, into } = stat;
  const name = start + (expected[0] as number);
  const isThere = libc.statx(folder, name, 0, STATX_SIZE_AND_MTIME, into) === 0;
  const ms = expected[4];
  if (!isThere || ms === MISSING) return !isThere && ms === MISSING;
  return found[SIZE] === expected[1] && found[SIZE_HIGH] === expected[2] && isDateSame(stat, expected[3], ms);
};

/** Where the quick look at several files says no: one of them has changed, or was missing before and still is. */
const areFilesSame = (stat: Stat, folder: number, start: number, files: Int32Array): boolean => {
  for (let at = 0; at < files.length; at += FIELDS)
    if (!isFileSame(stat, folder, start, files.subarray(at, at + FIELDS))) return false;
  return true;
};

/** Files that are compared at a turn of the loop below. */
const TURN = 6 * FIELDS;

/**
 * Whether everything is as it was. In one function, six files at a turn and written out: so few calls and turns for
 * thousands of files that the runtime does not start its compiler, which takes as long as comparing 700 of them.
 */
export const areLooksSame = (stat: Stat, looks: PackedLooks): boolean => {
  const { folders, files, names } = looks;
  const { libc, found, into } = stat;
  const { statx } = libc;
  const start = stat.ptr(names);
  for (let row = 0; row < folders.length; row += FIELDS) {
    if ((folders[row] as number) >= names.length) return false;
    const folder = enter(stat, looks, row, start);
    if (folder === CHANGED) return false;
    if (folder === NOTHING_TO_COMPARE) continue;
    const end = (folders[row + 4] as number) * FIELDS;
    let isSame = true;
    for (let at = (folders[row + 3] as number) * FIELDS; isSame && at < end; at += TURN) {
      const left = end - at;
      isSame =
        (statx(folder, start + (files[at] as number), 0, STATX_SIZE_AND_MTIME, into) === 0 &&
          found[SIZE] === files[at + 1] &&
          found[SIZE_HIGH] === files[at + 2] &&
          found[SECONDS] === files[at + 3] &&
          (((found[NANOSECONDS] as number) / 1e6) | 0) === files[at + 4] &&
          (left <= 5 ||
            (statx(folder, start + (files[at + 5] as number), 0, STATX_SIZE_AND_MTIME, into) === 0 &&
              found[SIZE] === files[at + 6] &&
              found[SIZE_HIGH] === files[at + 7] &&
              found[SECONDS] === files[at + 8] &&
              (((found[NANOSECONDS] as number) / 1e6) | 0) === files[at + 9])) &&
          (left <= 10 ||
            (statx(folder, start + (files[at + 10] as number), 0, STATX_SIZE_AND_MTIME, into) === 0 &&
              found[SIZE] === files[at + 11] &&
              found[SIZE_HIGH] === files[at + 12] &&
              found[SECONDS] === files[at + 13] &&
              (((found[NANOSECONDS] as number) / 1e6) | 0) === files[at + 14])) &&
          (left <= 15 ||
            (statx(folder, start + (files[at + 15] as number), 0, STATX_SIZE_AND_MTIME, into) === 0 &&
              found[SIZE] === files[at + 16] &&
              found[SIZE_HIGH] === files[at + 17] &&
              found[SECONDS] === files[at + 18] &&
              (((found[NANOSECONDS] as number) / 1e6) | 0) === files[at + 19])) &&
          (left <= 20 ||
            (statx(folder, start + (files[at + 20] as number), 0, STATX_SIZE_AND_MTIME, into) === 0 &&
              found[SIZE] === files[at + 21] &&
              found[SIZE_HIGH] === files[at + 22] &&
              found[SECONDS] === files[at + 23] &&
              (((found[NANOSECONDS] as number) / 1e6) | 0) === files[at + 24])) &&
          (left <= 25 ||
            (statx(folder, start + (files[at + 25] as number), 0, STATX_SIZE_AND_MTIME, into) === 0 &&
              found[SIZE] === files[at + 26] &&
              found[SIZE_HIGH] === files[at + 27] &&
              found[SECONDS] === files[at + 28] &&
              (((found[NANOSECONDS] as number) / 1e6) | 0) === files[at + 29]))) ||
        areFilesSame(stat, folder, start, files.subarray(at, Math.min(end, at + TURN)));
    }
    libc.close(folder);
    if (!isSame) return false;
  }
  // Asked for last, so that they are not collected before.
  return names.length > 0;
};
