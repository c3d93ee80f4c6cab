import { randomBytes } from "node:crypto";
import { mkdirSync } from "node:fs";
import { access, mkdir, open, readdir, readFile, rename, rm, stat, type FileHandle } from "node:fs/promises";
import { join } from "node:path";
import { writeFailure } from "../../core/durable-file.ts";
import { AppError, systemCode } from "../../core/errors.ts";
import { type BlobStep, type BlobStore, checkBlobName, checkVariantName, SHA256 } from "./blobs.ts";
import { inParts, verified } from "./verified-body.ts";

const BUFFER_BYTES = 1024 * 1024;

export type DiskBlobs = BlobStore & {
  /** Removes temporary files of a killed process; called before the first upload. Returns how many there were. */
  sweep: () => Promise<number>;
};

const syncFolder = async (path: string): Promise<void> => {
  const handle = await open(path, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
};

const writeAll = async (file: FileHandle, bytes: Uint8Array): Promise<void> => {
  for (let at = 0; at < bytes.length;) at += (await file.write(bytes, at)).bytesWritten;
};

const readMaybe = async (path: string): Promise<Uint8Array<ArrayBuffer> | undefined> => {
  try {
    return await readFile(path);
  } catch (error) {
    if (systemCode(error) === "ENOENT") return undefined;
    throw error;
  }
};

const isThere = async (path: string): Promise<boolean> => {
  try {
    await access(path);
    return true;
  } catch {
    return false;
  }
};

/** One thing at a time for each name; different names never wait for each other. */
const createNameLock = () => {
  const tails = new Map<string, Promise<unknown>>();
  return async <T>(name: string, work: () => Promise<T>): Promise<T> => {
    const result = (tails.get(name) ?? Promise.resolve()).then(work);
    const tail = result.then(
      () => {},
      () => {},
    );
    tails.set(name, tail);
    try {
      return await result;
    } finally {
      if (tails.get(name) === tail) tails.delete(name);
    }
  };
};

/** Opens the blob folder: `ab/<sha256>` for bytes, `tmp/` for uploads under way, `packed/` for variants. */
export const openDiskBlobs = (
  folder: string,
  { onStep = () => {} }: { onStep?: (step: BlobStep) => void } = {},
): DiskBlobs => {
  const temporary = join(folder, "tmp");
  const packed = join(folder, "packed");
  for (const path of [temporary, packed]) mkdirSync(path, { recursive: true, mode: 0o700 });
  const known = new Set<string>();
  const exclusively = createNameLock();

  const folderOf = (sha256: string): string => join(folder, sha256.slice(0, 2));
  const pathOf = (sha256: string): string => {
    checkBlobName(sha256);
    return join(folderOf(sha256), sha256);
  };
  const ensureFolder = async (path: string): Promise<void> => {
    if (known.has(path)) return;
    if (await mkdir(path, { recursive: true, mode: 0o700 })) await syncFolder(folder);
    known.add(path);
  };
  const has = (sha256: string): Promise<boolean> => isThere(pathOf(sha256));
  const place = async (from: string, sha256: string): Promise<void> => {
    await ensureFolder(folderOf(sha256));
    await rename(from, pathOf(sha256));
    onStep("blob-renamed");
    await syncFolder(folderOf(sha256));
    onStep("blob-durable");
  };
  const newTemporary = (): string => join(temporary, `${process.pid}-${randomBytes(8).toString("hex")}`);

  const put: BlobStore["put"] = async (expected, body, record) => {
    const path = newTemporary();
    try {
      const file = await open(path, "wx", 0o600);
      try {
        for await (const part of inParts(verified(expected, body), BUFFER_BYTES)) await writeAll(file, part);
        onStep("blob-written");
        await file.sync();
        onStep("blob-synced");
      } finally {
        await file.close();
      }
      await exclusively(expected.sha256, async () => {
        if (!(await has(expected.sha256))) await place(path, expected.sha256);
        await record();
      });
    } catch (error) {
      throw systemCode(error) === undefined || error instanceof AppError ? error : writeFailure(path, error);
    } finally {
      await rm(path, { force: true });
    }
  };

  const variantPath = (sha256: string, encoding: string): string => {
    checkVariantName(sha256, encoding);
    return join(packed, `${sha256}.${encoding}`);
  };

  return {
    put,
    read: async (sha256) => {
      const bytes = await readMaybe(pathOf(sha256));
      if (!bytes) throw new AppError("not-found", `no blob ${sha256}`);
      return bytes;
    },
    locate: async (sha256) => {
      const path = pathOf(sha256);
      try {
        return { path, size: (await stat(path)).size };
      } catch (error) {
        if (systemCode(error) === "ENOENT") throw new AppError("not-found", `no blob ${sha256}`);
        throw error;
      }
    },
    remove: (sha256, confirm) =>
      exclusively(sha256, async () => {
        if (!(await confirm())) return false;
        await rm(pathOf(sha256), { force: true });
        for (const encoding of ["br", "gzip"]) await rm(variantPath(sha256, encoding), { force: true });
        return true;
      }),
    list: async function* () {
      for (const name of await readdir(folder))
        if (/^[0-9a-f]{2}$/.test(name))
          for (const blob of await readdir(join(folder, name))) if (SHA256.test(blob)) yield blob;
    },
    readVariant: (sha256, encoding) => readMaybe(variantPath(sha256, encoding)),
    hasVariant: (sha256, encoding) => isThere(variantPath(sha256, encoding)),
    writeVariant: async (sha256, encoding, bytes) => {
      const path = newTemporary();
      try {
        const file = await open(path, "wx", 0o600);
        try {
          await writeAll(file, bytes);
          // Synced like a blob: a variant torn by a power cut would be served as it is.
          await file.sync();
        } finally {
          await file.close();
        }
        await rename(path, variantPath(sha256, encoding));
      } finally {
        await rm(path, { force: true });
      }
    },
    sweep: async () => {
      const left = await readdir(temporary);
      for (const name of left) await rm(join(temporary, name), { force: true });
      return left.length;
    },
  };
};
