import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import type { DestructiveFinding } from "./catalogue.ts";
import { mayDestroy } from "./may-destroy.ts";

/** The work tree that a folder lies in; nobody is asked for it, so that git is not started before every action. */
const findTree = (dir: string): string => {
  for (let folder = dir; ; folder = dirname(folder)) {
    if (existsSync(join(folder, ".git"))) return folder;
    if (dirname(folder) === folder) return dir;
  }
};

/** What commands would destroy. The parser is loaded only for those that could. */
export const findHarm = async (
  commands: readonly string[],
  { dir, home }: { dir: string; home: string },
): Promise<DestructiveFinding[]> => {
  const read = commands.filter(mayDestroy);
  if (read.length === 0) return [];
  const { findDestructive } = await import("./find-destructive.ts");
  const places = { tree: findTree(dir), home, dir };
  return read.flatMap((command) => findDestructive(command, places));
};
