import { copyFileSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Git, GitState } from "../../core/git.ts";
import { isSecretPath } from "../../core/redaction.ts";

export type Rescue = { ref: string; commit: string; paths: string[]; leftOut: string[] };

const REF_ROOT = "refs/nightshift/rescue";

/** The ref under which a session's leftovers of a worker are saved. */
export const rescueRef = (worker: string, number: number): string =>
  `${REF_ROOT}/${worker.replaceAll(/[^A-Za-z0-9_-]/g, "-")}/${number}`;

const AUTHOR = {
  GIT_AUTHOR_NAME: "Nightshift",
  GIT_AUTHOR_EMAIL: "nightshift@localhost",
  GIT_COMMITTER_NAME: "Nightshift",
  GIT_COMMITTER_EMAIL: "nightshift@localhost",
};

const nextFreeRef = async (git: Git, worker: string, first: number): Promise<string> => {
  for (let number = first; ; number++) {
    const ref = rescueRef(worker, number);
    if ((await git.find(["rev-parse", "--verify", "--quiet", ref])) === undefined) return ref;
  }
};

/** The commit of the last rescue of a worker, to make none twice. */
const lastRescueTree = async (git: Git, worker: string): Promise<string | undefined> => {
  const prefix = rescueRef(worker, 0).replace(/\/0$/, "/");
  const refs = await git.find([
    "for-each-ref",
    "--sort=-committerdate",
    "--count=1",
    "--format=%(objectname)",
    prefix,
  ]);
  const commit = refs?.trim();
  return commit ? (await git.find(["rev-parse", `${commit}^{tree}`]))?.trim() : undefined;
};

/**
 * Saves every uncommitted and untracked path to a ref of its own, through a temporary index: the branch,
 * the index, the stash and the work tree stay byte for byte as they are. Files named like secrets are
 * left out and named. Undefined when there is nothing to save, or nothing that the last rescue has not.
 */
export const rescueWork = async (
  git: Git,
  { state, worker, session }: { state: GitState; worker: string; session: number },
): Promise<Rescue | undefined> => {
  const leftOut = state.changed.map(({ path }) => path).filter((path) => isSecretPath(path));
  const paths = state.changed.map(({ path }) => path).filter((path) => !isSecretPath(path));
  if (paths.length === 0) return undefined;
  const root = (await git.run(["rev-parse", "--show-toplevel"])).trimEnd();
  const folder = mkdtempSync(join(tmpdir(), "nightshift-index-"));
  try {
    const index = join(folder, "index");
    // A copy keeps git's stat cache, so that only changed files are read again.
    const real = (await git.run(["rev-parse", "--path-format=absolute", "--git-path", "index"])).trimEnd();
    if (existsSync(real)) copyFileSync(real, index);
    const env = { GIT_INDEX_FILE: index, ...AUTHOR };
    await git.run(
      [
        "-C",
        root,
        "-c",
        "core.hooksPath=/dev/null",
        "add",
        "--all",
        "--ignore-errors",
        "--pathspec-from-file=-",
        "--pathspec-file-nul",
      ],
      { env: { ...env, GIT_LITERAL_PATHSPECS: "1" }, input: paths.join("\0") },
    );
    const tree = (await git.run(["write-tree"], { env })).trim();
    const headTree = state.head ? (await git.run(["rev-parse", `${state.head}^{tree}`])).trim() : undefined;
    if (tree === headTree || tree === (await lastRescueTree(git, worker))) return undefined;
    const message = `Rescue of ${worker}, before session ${session}\n\n${paths.join("\n")}\n`;
    const parents = state.head ? ["-p", state.head] : [];
    const commit = (
      await git.run(["commit-tree", tree, ...parents, "-F", "-"], { env, input: message })
    ).trim();
    const ref = await nextFreeRef(git, worker, session);
    await git.run(["update-ref", "--create-reflog", ref, commit, ""]);
    return { ref, commit, paths, leftOut };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};
