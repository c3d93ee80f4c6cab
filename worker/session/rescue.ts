import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { lstat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AUTHOR } from "../../verdict/receipt/write-receipt.ts";
import { errorText, isInterruption } from "../../core/errors.ts";
import { isPassing } from "../../core/passing-failure.ts";
import { type Git, type GitState, readGitState, treeOf } from "../../core/git.ts";
import { isSecretPath } from "../../core/redaction.ts";
import { addPaths } from "./add-paths.ts";
import { gitWithin, gitWithinForeign } from "./nested-repositories.ts";
import { DEFAULT_RESCUE_BUDGET, type RescueBudget, openBudget } from "./rescue-budget.ts";
import { type RescueRef, nextFreeRef, rescueRefs } from "./rescue-refs.ts";

/** What one repository had uncommitted, as a commit under a ref of its own. */
type RescueCommit = RescueRef & {
  commit: string;
  /** where the repository lies within the worker's own: "" for that itself, else a submodule or a clone in it */
  repository: string;
  paths: string[];
};

export type Rescue = {
  saved: RescueCommit[];
  /** named like secrets, so not copied anywhere */
  leftOut: string[];
  /** new files beyond the size budget, with their size */
  tooLarge: string[];
  /** could not be read, with the reason */
  unsaved: string[];
};

type Work = { state: GitState; worker: string; session: number; budget?: RescueBudget };
type Inner = Omit<Work, "budget"> & { repository: string; budget: ReturnType<typeof openBudget> };

/**
 * Saves every uncommitted and untracked path to a ref of its own, through a temporary index: the branch,
 * the index, the stash and the work tree stay byte for byte as they are. Repositories inside (submodules,
 * clones) get a ref of their own each. Files named like secrets, and new ones beyond the size budget, are left
 * out and named. `saved` is empty when there is nothing to save, or nothing that the last rescue has not.
 */
export const rescueWork = async (git: Git, work: Work): Promise<Rescue> => {
  const root = (await git.run(["rev-parse", "--show-toplevel"])).replace(/\n$/, "");
  const rescue: Rescue = { saved: [], leftOut: [], tooLarge: [], unsaved: [] };
  const budget = openBudget(work.budget ?? DEFAULT_RESCUE_BUDGET);
  await saveRepository(git, root, { ...work, repository: "", budget }, rescue);
  return rescue;
};

const saveRepository = async (git: Git, root: string, work: Inner, rescue: Rescue): Promise<void> => {
  const { state, repository, budget } = work;
  const own: string[] = [];
  const fresh: { path: string; bytes: number }[] = [];
  for (const { path, code } of state.changed) {
    const shown = join(repository, path);
    const stat = await lstat(join(root, path)).catch(() => undefined);
    if (stat?.isDirectory() && existsSync(join(root, path, ".git"))) {
      await saveInner(git, join(root, path), { ...work, repository: shown }, rescue);
      if (code !== "??") own.push(path); // a submodule: which commit it stands at is the outer one's work
    } else if (isSecretPath(path)) rescue.leftOut.push(shown);
    else if (stat?.isFile() && isNew(code)) fresh.push({ path, bytes: stat.size });
    else own.push(path);
  }
  const { taken, left } = budget.take(fresh);
  rescue.tooLarge.push(...left.map(({ path, words }) => `${join(repository, path)} (${words})`));
  const paths = [...own, ...taken];
  const saved =
    paths.length > 0 ? await savePaths(git, root, paths, { ...work, unsaved: rescue.unsaved }) : undefined;
  if (saved) rescue.saved.unshift(saved);
};

/** No commit has it yet. */
const isNew = (code: string): boolean => code === "??" || code.startsWith("A");

const saveInner = async (git: Git, root: string, work: Inner, rescue: Rescue): Promise<void> => {
  try {
    const inner = await gitWithinForeign(git, root);
    const state = await readGitState(inner, root);
    if (state) await saveRepository(inner, root, { ...work, state }, rescue);
  } catch (error) {
    if (isPassing(error) || isInterruption(error)) throw error;
    rescue.unsaved.push(`${work.repository} (${errorText(error)})`);
  }
};

const savePaths = async (
  git: Git,
  root: string,
  paths: readonly string[],
  { state, worker, session, repository, unsaved }: Inner & { unsaved: string[] },
): Promise<RescueCommit | undefined> => {
  const folder = mkdtempSync(join(tmpdir(), "nightshift-index-"));
  try {
    const env = { GIT_INDEX_FILE: join(folder, "index"), ...AUTHOR };
    const inRoot = gitWithin(git, root); // paths are told from the top
    await inRoot.run(["read-tree", state.head ?? "--empty"], { env });
    const failed = await addPaths(inRoot, paths, env);
    unsaved.push(...failed.map(({ path, reason }) => `${join(repository, path)} (${reason})`));
    const tree = (await inRoot.run(["write-tree"], { env })).trim();
    const headTree = await treeOf(git, state.head);
    if (tree === headTree || tree === (await lastTree(git, worker))) return undefined;
    const kept = paths.filter((path) => !failed.some((one) => one.path === path));
    const message = `Rescue of ${worker}, session ${session}\n\n${kept.join("\n")}\n`;
    const parents = state.head ? ["-p", state.head] : [];
    const commit = (
      await inRoot.run(["commit-tree", tree, ...parents, "-F", "-"], { env, input: message })
    ).trim();
    const ref = await nextFreeRef(git, worker, session);
    // An empty old value: the ref must not exist, so two rescues at once never overwrite each other.
    await inRoot.run(["update-ref", "--create-reflog", ref.ref, commit, ""]);
    return { ...ref, commit, repository, paths: kept };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

/** What the last rescue of a worker saved, to save nothing twice. */
const lastTree = async (git: Git, worker: string): Promise<string | undefined> => {
  const last = (await rescueRefs(git, worker)).at(-1);
  return last ? (await git.find(["rev-parse", `${last.ref}^{tree}`]))?.trim() : undefined;
};
