import { existsSync } from "node:fs";
import { isCode } from "../core/config/code-files.ts";
import { findConfigFile, findProjectRoot } from "../core/config/find-config.ts";
import type { Clock } from "../core/clock.ts";
import { type LoadedConfig, loadConfig } from "../core/config/load-config.ts";
import { inheritTrust } from "../core/config/trust-record.ts";
import { AppError, errorText } from "../core/errors.ts";
import { readGitState } from "../core/git.ts";
import { type Environment, realFolder } from "../core/paths.ts";
import { MARKER } from "../core/process-tree.ts";
import { leaseMarks, runMark } from "../worker/state/lease.ts";
import type { Claim, Job } from "../queue/job.ts";
import { createBoundedGit } from "./bounded-git.ts";
import { type ClonePorts, clonePath } from "./clone.ts";
import type { Result } from "./machine.ts";
import { pushWork } from "./push-work.ts";
import { removeTree } from "./put-tree-away.ts";
import { type JobTree, findJobTree, makeJobTree } from "./job-tree.ts";

export type PlacePorts = {
  clock: Clock;
  env: Environment;
  /** folder whose config declares workers that a task's own does not */
  cwd: string;
  /** where clones and work trees lie */
  poolHome: string;
  queueId: string;
};

/** Where a task is worked on, and how its result is told. */
export type Place = {
  dir: string;
  /** the supervisor makes a work tree beside the repository */
  isWorktree: boolean;
  config: LoadedConfig;
  problem: string | undefined;
  result: Result;
};

type Request = { claim: Claim; name: string; isKept: boolean };

/** @throws AppError for a folder, repository or config that cannot be worked with */
export const preparePlace = async (
  ports: PlacePorts,
  request: Request,
  signal: AbortSignal,
): Promise<Place> =>
  request.claim.task.repo === undefined
    ? folderPlace(ports, request, signal)
    : clonePlace(ports, request, signal);

const declares = ({ config }: LoadedConfig, worker: string): boolean =>
  config.workers !== undefined && Object.hasOwn(config.workers, worker);

/** The config that declares the worker: the one where the work is, else the one where the pool was started. */
const findConfig = async (
  { cwd, env }: Pick<PlacePorts, "cwd" | "env">,
  dir: string,
  worker: string,
): Promise<{ config: LoadedConfig; problem?: string }> => {
  let problem: string | undefined;
  try {
    const own = await loadConfig(dir, { by: "record", env });
    if (declares(own, worker)) return { config: own };
  } catch (error) {
    problem = errorText(error);
  }
  const outer = await loadConfig(cwd, { by: "record", env });
  if (declares(outer, worker)) return { config: outer, ...(problem === undefined ? {} : { problem }) };
  throw new AppError(
    "config",
    problem ??
      `worker ${worker} is declared neither in ${dir} nor where the pool runs (${cwd}): workers.${worker} in agent.config.*`,
  );
};

/** A folder that is said to be on every host may be missing on this one only. */
const findFolder = ({ dir = ".", host }: Job): string => {
  try {
    return realFolder(dir, "/");
  } catch (error) {
    if (host !== undefined) throw error;
    throw new AppError("unavailable", `${errorText(error)}; it was added with --any-host`, { cause: error });
  }
};

const folderPlace = async (
  ports: PlacePorts,
  { claim: { task } }: Request,
  signal: AbortSignal,
): Promise<Place> => {
  const dir = findFolder(task);
  const { config, problem } = await findConfig(ports, dir, task.worker);
  if (signal.aborted) throw new AppError("interrupted", `stopped before ${dir} was ready`);
  return { dir, isWorktree: !task.isInPlace, config, problem, result: folderResult(ports, dir) };
};

/** A folder's result is where it is; what is told of it is for whoever looks at the task. */
const folderResult = (ports: PlacePorts, dir: string): Result => ({
  isLocal: false,
  publish: async (worked, signal) => {
    const where = worked?.dir ?? dir;
    if (!existsSync(where)) return {};
    // A repository that git cannot read has nothing to tell.
    const state = await readGitState(createBoundedGit(ports, where, signal), where).catch(() => undefined);
    return state?.head === undefined
      ? {}
      : { head: state.head, ...(state.branch === undefined ? {} : { branch: state.branch }) };
  },
  tidy: async () => {},
});

const clonePortsOf = (ports: PlacePorts, { lease }: Pick<Claim, "lease">): ClonePorts => ({
  clock: ports.clock,
  // Whoever ends the run ends its git, too.
  env: { ...ports.env, [MARKER]: leaseMarks({ mark: runMark(ports.queueId, lease), token: lease.token }) },
  home: ports.poolHome,
});

const branchOf = (name: string, { lease }: Pick<Claim, "lease">): string =>
  `nightshift/${name}-${lease.token}`;

const clonePlace = async (
  ports: PlacePorts,
  { claim, name, isKept }: Request,
  signal: AbortSignal,
): Promise<Place> => {
  const { task } = claim;
  const wanted = {
    repo: task.repo ?? "",
    name,
    branch: branchOf(name, claim),
    base: { head: task.head, rescue: task.rescue },
    isKept,
  };
  const tree = await makeJobTree(clonePortsOf(ports, claim), wanted, signal);
  const script = findConfigFile(tree.path);
  if (script !== undefined && isCode(script))
    inheritTrust(ports.env, { root: findProjectRoot(tree.path), entries: [script] });
  const { config, problem } = await findConfig(ports, tree.path, task.worker);
  const problems = [tree.problem, problem].filter((one) => one !== undefined).join("; ");
  return {
    dir: tree.path,
    isWorktree: false,
    config,
    problem: problems === "" ? undefined : problems,
    result: cloneResult(ports, { claim, name }, tree),
  };
};

/** The result of an earlier pool's run in a clone; undefined when its tree is here no more. */
export const findCloneResult = (
  ports: PlacePorts,
  { claim, name }: Pick<Request, "claim" | "name">,
): Result | undefined => {
  const tree = findJobTree(ports.poolHome, { name, branch: branchOf(name, claim) });
  return tree && cloneResult(ports, { claim, name }, tree);
};

const cloneResult = (
  ports: PlacePorts,
  { claim, name }: Pick<Request, "claim" | "name">,
  tree: JobTree,
): Result => {
  const clonePorts = clonePortsOf(ports, claim);
  let isSafe = false;
  return {
    isLocal: true,
    publish: async (_state, signal) => {
      const git = createBoundedGit(clonePorts, tree.path, signal);
      const { isSafe: safe, ...note } = await pushWork(git, { ...tree, name, token: claim.lease.token });
      isSafe = safe;
      return note;
    },
    tidy: async () => {
      if (!isSafe) return;
      const clone = createBoundedGit(clonePorts, clonePath(ports.poolHome, claim.task.repo ?? ""), NEVER);
      await removeTree(clone, tree.path);
      await clone.find(["branch", "--quiet", "-D", tree.branch]);
    },
  };
};

const NEVER = new AbortController().signal;
