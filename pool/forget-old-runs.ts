import { existsSync, readFileSync, readdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Clock } from "../core/clock.ts";
import { errorText } from "../core/errors.ts";
import { isAlive } from "../core/process-identity.ts";
import { removeWorkerFiles } from "../worker/state/remove-files.ts";
import { type ListedWorker, listWorkers } from "../worker/state/worker-store.ts";
import { type GitPorts, createBoundedGit } from "./bounded-git.ts";
import type { Tell } from "./pool-ports.ts";
import { putTreeAway } from "./put-tree-away.ts";
import { treePath } from "./job-tree.ts";

const KEPT_MS = 7 * 86_400_000;
const NEVER = new AbortController().signal;

type Ports = GitPorts & { clock: Clock; workersHome: string; poolHome: string; tell: Tell };

/**
 * Forgets runs whose last sign of life is a week old, and whose tasks have ended or are known no more: what they
 * wrote down, and their trees. A run that crashed has no end of its own. What is uncommitted in a tree goes to a
 * rescue ref of the clone first.
 */
export const forgetOldRuns = async (
  ports: Ports,
  findOpen: (ids: readonly number[]) => Promise<number[]>,
): Promise<void> => {
  const { clock, workersHome } = ports;
  const runs = listWorkers(workersHome).workers.filter(({ lease }) => lease !== undefined);
  const isOld = (ms: number) => clock.now() - ms > KEPT_MS;
  const old = runs.filter(
    (run) =>
      run.worktree === undefined &&
      isOld(Date.parse(run.endedAt ?? run.updatedAt)) &&
      !isAlive(run.supervisor),
  );
  const open = new Set(await findOpen(old.map(jobOf)));
  for (const run of old)
    if (!open.has(jobOf(run)) && (await forgetTree(ports, run.name)))
      removeWorkerFiles(workersHome, run.name);
  const known = new Set(runs.map(({ name }) => name));
  for (const name of listTrees(ports.poolHome))
    if (!known.has(name) && isOld(statSync(treePath(ports.poolHome, name)).mtimeMs))
      await forgetTree(ports, name);
};

const jobOf = ({ lease }: Pick<ListedWorker, "lease">): number => lease?.task ?? 0;

/** Those that were moved aside hold what nobody else has; a person looks at them. */
const listTrees = (poolHome: string): string[] => {
  const folder = join(poolHome, "work");
  return existsSync(folder) ? readdirSync(folder).filter((name) => !/\.(?:kept-\d+|start)$/.test(name)) : [];
};

/** @returns whether it is gone */
const forgetTree = async (ports: Ports, name: string): Promise<boolean> => {
  const path = treePath(ports.poolHome, name);
  const clone = findClone(path);
  if (clone === undefined) return true;
  try {
    const problem = await putTreeAway(
      { clone: createBoundedGit(ports, clone, NEVER), git: createBoundedGit(ports, path, NEVER) },
      { path, name, isWhole: true },
    );
    if (problem !== undefined) ports.tell({ type: "problem", worker: name, message: problem });
    return true;
  } catch (error) {
    ports.tell({ type: "problem", worker: name, message: errorText(error) });
    return false;
  }
};

/** The clone that a work tree belongs to, as its `.git` file says. */
const findClone = (path: string): string | undefined => {
  const link = join(path, ".git");
  if (!statSync(link, { throwIfNoEntry: false })?.isFile()) return undefined;
  const folder = /^gitdir: (.+)$/m.exec(readFileSync(link, "utf8"))?.[1];
  return folder === undefined ? undefined : dirname(dirname(folder));
};
