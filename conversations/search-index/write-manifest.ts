import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { removeQuietly, temporaryBeside, writeFailure } from "../../core/durable-file.ts";
import { type Manifest, manifestPath, type StoredManifest, VERSION } from "./manifest.ts";

/** @throws AppError `storage-full` or `unavailable` */
export const makeFolder = (folder: string): void => {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw writeFailure(folder, error);
  }
};

/**
 * Replaces a file of the index: a reader sees the old one or the new one. An index that a power cut damages is built
 * again, so nothing waits for the disk.
 * @throws AppError `storage-full` or `unavailable`
 */
export const replaceFile = (path: string, content: string | Buffer): void => {
  const temporary = temporaryBeside(path);
  try {
    writeFileSync(temporary, content, { mode: 0o600 });
    renameSync(temporary, path);
  } catch (error) {
    removeQuietly(temporary); // a full disk is not made fuller by every search that tries
    throw writeFailure(path, error);
  }
};

export const writeManifest = (folder: string, { conversations, ...rest }: Manifest): void => {
  const stored: StoredManifest = { version: VERSION, ...rest, conversations: [...conversations.values()] };
  replaceFile(manifestPath(folder), JSON.stringify(stored));
};

/** Makes the next search rebuild the index. */
export const removeManifest = (folder: string): void => removeQuietly(manifestPath(folder));
