import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { lstat, open, readlink } from "node:fs/promises";
import { join } from "node:path";

const MAX_FILE_BYTES = 8 * 1024 * 1024;
const MAX_TOTAL_BYTES = 64 * 1024 * 1024;

/**
 * A short hash over paths, their codes and contents. Large files, and whatever is beyond the first 64 MiB,
 * count by size and time; what is read is read piece by piece, so that the process goes on answering.
 */
export const markContents = async (
  root: string,
  changed: readonly { path: string; code: string }[],
): Promise<string> => {
  const hash = createHash("sha256");
  let left = MAX_TOTAL_BYTES;
  for (const { path, code } of changed) {
    const { mark, bytes } = await contentMark(join(root, path), Math.min(left, MAX_FILE_BYTES));
    left -= bytes;
    hash.update(`${code}\0${path}\0${mark}\0`);
  }
  return hash.digest("hex").slice(0, 12);
};

const contentMark = async (path: string, maxBytes: number): Promise<{ mark: string; bytes: number }> => {
  try {
    const stat = await lstat(path);
    if (stat.isSymbolicLink()) return { mark: `link ${await readlink(path)}`, bytes: 0 };
    if (!stat.isFile()) return { mark: "other", bytes: 0 };
    if (stat.size > maxBytes) return { mark: `large ${stat.size} ${stat.mtimeMs}`, bytes: 0 };
    return { mark: await hashFile(path), bytes: stat.size };
  } catch {
    return { mark: "absent", bytes: 0 };
  }
};

/** NONBLOCK: what was a file a moment ago may be a pipe that nobody ever writes to. */
const hashFile = async (path: string): Promise<string> => {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    if (!(await file.stat()).isFile()) return "other";
    const hash = createHash("sha256");
    for await (const chunk of file.createReadStream({ autoClose: false })) hash.update(chunk as Buffer);
    return hash.digest("hex");
  } finally {
    await file.close();
  }
};
