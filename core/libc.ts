/** What is used of the C library, by addresses. */
export type Libc = {
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

export type Stat = {
  libc: Libc;
  ptr: Ffi["ptr"];
  /** where statx writes, as numbers, and its address */
  found: Int32Array;
  into: number;
  /** a name without letters, for a handle itself */
  nothing: number;
};

const STATX_BYTES = 256;

export const O_CLOEXEC = 0x80000;
export const AT_EMPTY_PATH = 0x1000;
export const STATX_SIZE_AND_MTIME = 0x240;

/**
 * The C library, on Bun for Linux; throws where it is another one.
 */
export const openLibc = (): Stat => {
  const { dlopen, ptr } = findFfi();
  const { symbols } = dlopen("libc.so.6", {
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
  // The name without letters lies behind what statx writes, and lives as long.
  return { libc: symbols, ptr, found, into, nothing: into + STATX_BYTES };
};
