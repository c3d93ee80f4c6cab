import { join, relative } from "node:path";
import { findProjectRoot } from "../../core/config/find-config.ts";
import { createGit, readGitState } from "../../core/git.ts";
import type { BuiltInGate } from "./built-in-gate.ts";
import { type Check, failed, notApplicable, passed } from "../gate.ts";

const WORDS: Record<string, string> = {
  "??": "untracked",
  "A.": "added, not committed",
  ".M": "changed",
  "M.": "staged, not committed",
  ".D": "deleted",
  "D.": "deletion staged",
};

/** Nothing may be left uncommitted: neither changed, nor staged, nor untracked. */
const checkUncommitted: Check = async ({ root, env }) => {
  const state = await readGitState(createGit(root, env), root);
  if (!state) return notApplicable("not in a git work tree");
  if (state.changed.length === 0) return passed();
  // git tells paths from the top of the work tree, which may be above the project.
  const top = findProjectRoot(root);
  const fromRoot = (path: string): string => relative(root, join(top, path)).replaceAll("\\", "/");
  return failed(
    state.changed.map(({ path, code }) => ({
      file: fromRoot(path),
      line: 0,
      message: `${WORDS[code] ?? "changed"}; commit it or remove it`,
    })),
  );
};

export const uncommittedGate: BuiltInGate = {
  severity: "block",
  summary: "Changes that are not committed",
  ignores: ["cwd", "inputs"],
  make: () => ({ check: checkUncommitted, select: () => [], cacheKey: undefined, hasBaseline: false }),
};
