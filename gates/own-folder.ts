import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** `.nightshift/` of a project, which keeps itself out of git. */
export const ownFolder = (root: string): string => {
  const folder = join(root, ".nightshift");
  mkdirSync(folder, { recursive: true });
  const ignore = join(folder, ".gitignore");
  if (!existsSync(ignore)) writeFileSync(ignore, "*\n");
  return folder;
};
