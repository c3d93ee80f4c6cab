import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { errorText } from "../../core/errors.ts";
import { type Git, type GitState, readGitState } from "../../core/git.ts";
import { isSecretPath } from "../../core/redaction.ts";
import { addPaths } from "./add-paths.ts";
import { gitWithin } from "./nested-repositories.ts";
import { type RescueRef, nextFreeRef, rescueRefs } from "./rescue-refs.ts";

/** What one repository had uncommitted, as a commit under a ref of its own. */
export type Saved = RescueRef & {
  commit: string;
  /** where the repository lies within the worker's own: "" for that itself, else a submodule or a clone in it */
  repository: string;
  paths: string[];
};

export type Rescue = {
  saved: Saved[];
  /** named like secrets, so not copied anywhere */
  leftOut: string[];
  /** could not be read, with the reason */
  unsaved: string[];
};

type Work = { state: GitState; worker: string; session: number };

const AUTHOR = {
  GIT_AUTHOR_NAME: "Nightshift",
  GIT_AUTHOR_EMAIL: "nightshift@localhost",
  GIT_COMMITTER_NAME: "Nightshift",
  GIT_COMMITTER_EMAIL: "nightshift@localhost",
};

const NO_HOOKS = ["-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false"];

/**
 * Saves every uncommitted and untracked path to a ref of its own, through a temporary index: the branch,
 * the index, the stash and the work tree stay byte for byte as they are. Repositories inside (submodules,
 * clones) get a ref of their own each. Files named like secrets are left out and named. `saved` is empty
 * when there is nothing to save, or nothing that the last rescue has not.
 */
export const rescueWork = async (git: Git, work: Work): Promise<Rescue> => {
  const root = (await git.run(["rev-parse", "--show-toplevel"])).replace(/\n$/, "");
  const rescue: Rescue = { saved: [], leftOut: [], unsaved: [] };
  await saveRepository(git, root, { ...work, repository: "" }, rescue);
  return rescue;
};

const saveRepository = async (
  git: Git,
  root: string,
  work: Work & { repository: string },
  rescue: Rescue,
): Promise<void> => {
  const { state, repository } = work;
  const own: string[] = [];
  for (const { path, code } of state.changed) {
    const shown = join(repository, path);
    if (existsSync(join(root, path, ".git"))) {
      const inner = gitWithin(git, join(root, path));
      const innerState = await readGitState(inner, join(root, path)).catch((error: unknown) => {
        rescue.unsaved.push(`${shown} (${errorText(error)})`);
      });
      if (innerState)
        await saveRepository(
          inner,
          join(root, path),
          { ...work, state: innerState, repository: shown },
          rescue,
        );
      if (code !== "??") own.push(path); // a submodule: which commit it stands at is the outer one's work
    } else if (isSecretPath(path)) rescue.leftOut.push(shown);
    else own.push(path);
  }
  const saved =
    own.length > 0 ? await savePaths(git, root, own, { ...work, unsaved: rescue.unsaved }) : undefined;
  if (saved) rescue.saved.unshift(saved);
};

const savePaths = async (
  git: Git,
  root: string,
  paths: readonly string[],
  { state, worker, session, repository, unsaved }: Work & { repository: string; unsaved: string[] },
): Promise<Saved | undefined> => {
  const folder = mkdtempSync(join(tmpdir(), "nightshift-index-"));
  try {
    const env = { GIT_INDEX_FILE: join(folder, "index"), ...AUTHOR };
    const quiet = gitWithin(git, root, NO_HOOKS);
    await quiet.run(["read-tree", state.head ?? "--empty"], { env });
    const failed = await addPaths(quiet, paths, env);
    unsaved.push(...failed.map(({ path, reason }) => `${join(repository, path)} (${reason})`));
    const tree = (await quiet.run(["write-tree"], { env })).trim();
    const headTree = await treeOf(git, state.head);
    if (tree === headTree || tree === (await lastTree(git, worker))) return undefined;
    const kept = paths.filter((path) => !failed.some((one) => one.path === path));
    const message = `Rescue of ${worker}, session ${session}\n\n${kept.join("\n")}\n`;
    const parents = state.head ? ["-p", state.head] : [];
    const commit = (
      await quiet.run(["commit-tree", tree, ...parents, "-F", "-"], { env, input: message })
    ).trim();
    const ref = await nextFreeRef(git, worker, session);
    // An empty old value: the ref must not exist, so two rescues at once never overwrite each other.
    await quiet.run(["update-ref", "--create-reflog", ref.ref, commit, ""]);
    return { ...ref, commit, repository, paths: kept };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

/** The tree of a commit; the empty one where there is no commit yet. */
const treeOf = async (git: Git, commit: string | undefined): Promise<string> =>
  (
    await git.run(commit ? ["rev-parse", `${commit}^{tree}`] : ["hash-object", "-t", "tree", "--stdin"])
  ).trim();

/** What the last rescue of a worker saved, to save nothing twice. */
const lastTree = async (git: Git, worker: string): Promise<string | undefined> => {
  const last = (await rescueRefs(git, worker)).at(-1);
  return last ? (await git.find(["rev-parse", `${last.ref}^{tree}`]))?.trim() : undefined;
};
