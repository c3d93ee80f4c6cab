import { statSync } from "node:fs";
import { join } from "node:path";
import { globSync } from "glob";
import { createGit } from "./git.ts";

const NEVER = ["**/node_modules/**", "**/.git/**", ".nightshift/**"];

/** The files under `root` that match one of the globs, relative and sorted; `!x` takes out what it matches. */
export const listByGlobs = (globs: readonly string[], root: string): string[] => {
  const wanted = globs.filter((glob) => !glob.startsWith("!"));
  const unwanted = globs.filter((glob) => glob.startsWith("!")).map((glob) => glob.slice(1));
  const found = globSync(wanted.length > 0 ? wanted : ["**/*"], {
    cwd: root,
    nodir: true,
    dot: true,
    posix: true,
    ignore: [...NEVER, ...unwanted],
  });
  return found.sort();
};

/** The files that belong to a project: what git tracks or would track, else everything but dependencies. */
export const listProjectFiles = async (
  root: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<string[]> => {
  const listed = await createGit(root, env).find(["ls-files", "-co", "--exclude-standard", "-z"]);
  if (listed === undefined) return listByGlobs(["**/*", "!dist/**", "!build/**"], root);
  // Also listed: a file that is deleted and not yet committed, a submodule, a link to a folder.
  return [...new Set(listed.split("\0"))]
    .filter((file) => file !== "" && statSync(join(root, file), { throwIfNoEntry: false })?.isFile() === true)
    .sort();
};
