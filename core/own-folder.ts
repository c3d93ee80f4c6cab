import { existsSync } from "node:fs";
import { join } from "node:path";
import { writeFileDurably } from "./durable-file.ts";

/**
 * `.nightshift/` of a project, which keeps itself out of git.
 * @throws AppError `storage-full` or `unavailable` where it cannot be made
 */
export const ownFolder = (root: string): string => {
  const folder = join(root, ".nightshift");
  const ignore = join(folder, ".gitignore");
  if (!existsSync(ignore)) writeFileDurably(ignore, "*\n");
  return folder;
};
