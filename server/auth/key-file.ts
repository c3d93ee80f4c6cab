import { createHash, randomBytes } from "node:crypto";
import { chmodSync } from "node:fs";
import { writeFileDurably } from "../../core/durable-file.ts";
import { AppError, systemCode } from "../../core/errors.ts";
import { readFileIfThere } from "../../core/read-file.ts";

/** A new key of the memory: 256 random bits behind a prefix that secret scanners can look for. */
export const newKey = (): string => `nsm_${randomBytes(32).toString("base64url")}`;

export const keyDigest = (key: string): Buffer => createHash("sha256").update(key).digest();

/** What is stored and looked up in place of a key. */
export const hashKey = (key: string): string => keyDigest(key).toString("hex");

/**
 * Reads the key file, or makes it: 256 random bits, mode 600, whole or not at all.
 * @throws AppError `config` when there is a file without a usable key
 */
export const loadOrMakeKey = (path: string): string => {
  const known = readFileIfThere(path);
  if (known !== undefined) {
    const key = known.trim();
    if (!/^[\x21-\x7e]{16,512}$/.test(key))
      throw new AppError(
        "config",
        `${path} holds no key of 16 to 512 printable characters; fix it, or delete it to get a new one`,
      );
    closeToOthers(path);
    return key;
  }
  const key = newKey();
  writeFileDurably(path, `${key}\n`, { mode: 0o600 });
  return key;
};

/** A secret that somebody mounts read-only, or owns, has the mode that they gave it. */
const closeToOthers = (path: string): void => {
  try {
    chmodSync(path, 0o600);
  } catch (error) {
    if (!["EROFS", "EPERM"].includes(systemCode(error) ?? "")) throw error;
  }
};
