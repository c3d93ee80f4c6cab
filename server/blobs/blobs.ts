import { AppError } from "../../core/errors.ts";

/** Bytes named by their SHA-256 (lowercase hex). Immutable: a name never comes to mean other bytes. */
export type BlobStore = {
  /**
   * Stores a body that must have exactly this size and digest; nothing of it stays when it has not.
   * `record` runs once the bytes are durable, and nobody removes them before it has ended.
   * @throws AppError `bad-data` (other size or digest), `storage-full`, or what the body throws
   */
  put: (expected: BlobName, body: AsyncIterable<Uint8Array>, record: () => Promise<void>) => Promise<void>;
  /** @throws AppError `not-found` */
  read: (sha256: string) => Promise<Uint8Array<ArrayBuffer>>;
  /** A file to send the bytes from, and how many they are. @throws AppError `not-found` */
  locate: (sha256: string) => Promise<{ path: string; size: number }>;
  /** Removes a blob when `confirm`, run while nobody stores it, says yes. */
  remove: (sha256: string, confirm: () => Promise<boolean>) => Promise<boolean>;
  list: () => AsyncIterable<string>;
  /** A packed form of a blob, made from it and replaceable by it: kept beside it and removed with it. */
  readVariant: (sha256: string, encoding: string) => Promise<Uint8Array<ArrayBuffer> | undefined>;
  hasVariant: (sha256: string, encoding: string) => Promise<boolean>;
  writeVariant: (sha256: string, encoding: string, bytes: Uint8Array) => Promise<void>;
};

export type BlobName = { sha256: string; size: number };
/** Steps of storing one blob; a crash test ends the process at each of them. */
export type BlobStep = "blob-written" | "blob-synced" | "blob-renamed" | "blob-durable";

export const SHA256 = /^[0-9a-f]{64}$/;

/** @throws AppError `bad-data` */
export const checkBlobName = (sha256: string): void => {
  if (!SHA256.test(sha256)) throw new AppError("bad-data", `"${sha256}" is not a sha256`);
};

/** @throws AppError `bad-data` */
export const checkVariantName = (sha256: string, encoding: string): void => {
  if (!SHA256.test(sha256) || !/^[a-z]+$/.test(encoding))
    throw new AppError("bad-data", "not a variant's name");
};
