/** A thing that was looked at: a folder that was listed (or would have been), or a file that was stat'ed. */
export type Look = {
  path: string;
  isFolder: boolean;
  stat: { sizeBytes: number; mtimeMs: number } | undefined;
};

/** Looks as they are compared: folders, and for each the files looked at in it; see `packLooks`. */
export type PackedLooks = {
  /** five numbers a folder: name, seconds, milliseconds, first file, end of its files */
  folders: Int32Array;
  /** five numbers a file: name, size (low, high), seconds, milliseconds */
  files: Int32Array;
  /** names, each ended by a NUL: whole paths of folders, names of files within them */
  names: Uint8Array;
};

export const FIELDS = 5;
/** in place of milliseconds */
export const MISSING = -1;
export const NOT_LISTED = -2;

/** Reading files the quickest way a runtime has. */
export type QuickFiles = {
  /** throws what node:fs throws */
  open: (path: string) => number;
  size: (handle: number) => number;
  /** fewer bytes than asked for only at the end of the file */
  read: (handle: number, length: number, position: number) => Buffer;
  /** the same for what is used up before the next such call: all of them share their room */
  readShort: (handle: number, length: number, position: number) => Buffer;
  close: (handle: number) => void;
  isTerminal: (descriptor: number) => boolean;
  /** how many bytes were taken; throws what node:fs throws */
  write: (descriptor: number, bytes: Uint8Array) => number;
  /** whether everything is as it was: sizes and dates of files, dates of folders */
  isSame: (looks: PackedLooks) => boolean;
};

/** Split as the looks keep a date; both runtimes report whole milliseconds alike. */
export const secondsOf = (mtimeMs: number): [number, number] => {
  const ms = Math.trunc(mtimeMs);
  const seconds = Math.floor(ms / 1000);
  return [seconds | 0, ms - seconds * 1000];
};

/** Room that `readShort` shares; longer ones get their own. */
export const SHORT_BYTES = 1 << 16;

/** What the low half of a size counts up to. */
export const HIGH = 2 ** 32;
