import { existsSync } from "node:fs";
import { isCode } from "../../core/config/code-files.ts";
import { findConfigFile, findProjectRoot } from "../../core/config/find-config.ts";
import { type LoadedConfig, loadConfig } from "../../core/config/load-config.ts";
import { inheritTrust } from "../../core/config/trust-record.ts";
import { AppError, errorText } from "../../core/errors.ts";
import { type Git, createGit, readGitState } from "../../core/git.ts";
import { realFolder } from "../../core/paths.ts";
import { MARKER } from "../../core/process-tree.ts";
import { leaseMarks, runMark } from "../../worker/state/lease.ts";
import type { RunNote } from "../hold-lease.ts";
import type { Claim, QueueTask } from "../task.ts";
import { type TaskTree, makeTaskTree, removeTaskTree } from "./clone.ts";
import type { PoolPorts } from "./pool-ports.ts";
import { pushWork } from "./push-work.ts";

/** Where a task is worked on, and how its result is told. */
export type Place = {
  dir: string;
  /** the supervisor makes a work tree beside the repository */
  isWorktree: boolean;
  config: LoadedConfig;
  problem?: string;
  /** what there is by now, where others find it; `dir` is where the worker really worked */
  publish: (dir: string) => Promise<RunNote & { problem?: string }>;
  /** after the end: what is safe elsewhere need not lie here */
  tidy: () => Promise<void>;
};

type Request = { claim: Claim; name: string; isKept: boolean };

/** @throws AppError for a folder, repository or config that cannot be worked with */
export const preparePlace = async (ports: PoolPorts, request: Request, signal: AbortSignal): Promise<Place> =>
  request.claim.task.repo === undefined ? folderPlace(ports, request) : clonePlace(ports, request, signal);

const declares = ({ config }: LoadedConfig, worker: string): boolean =>
  config.workers !== undefined && Object.hasOwn(config.workers, worker);

/** The config that declares the worker: the one where the work is, else the one where the pool was started. */
const findConfig = async (
  { cwd, env }: PoolPorts,
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
const findFolder = ({ dir = ".", host }: QueueTask): string => {
  try {
    return realFolder(dir, "/");
  } catch (error) {
    if (host !== undefined) throw error;
    throw new AppError("unavailable", `${errorText(error)}; it was added with --any-host`, { cause: error });
  }
};

const folderPlace = async (ports: PoolPorts, { claim: { task } }: Request): Promise<Place> => {
  const dir = findFolder(task);
  const found = await findConfig(ports, dir, task.worker);
  const tell = async (git: Git, where: string) => {
    // Only told to whoever looks at the task: a repository that git cannot read has nothing to tell.
    const state = await readGitState(git, where).catch(() => undefined);
    return state?.head === undefined
      ? {}
      : { head: state.head, ...(state.branch === undefined ? {} : { branch: state.branch }) };
  };
  return {
    dir,
    isWorktree: !task.isInPlace,
    ...found,
    publish: async (where) => (existsSync(where) ? tell(createGit(where, ports.env), where) : {}),
    tidy: async () => {},
  };
};

const clonePlace = async (
  ports: PoolPorts,
  { claim: { task, lease }, name, isKept }: Request,
  signal: AbortSignal,
): Promise<Place> => {
  const clonePorts = {
    clock: ports.clock,
    // Whoever ends the run ends a git that hangs, too.
    env: { ...ports.env, [MARKER]: leaseMarks({ mark: runMark(ports.queue.id, lease), token: lease.token }) },
    home: ports.poolHome,
  };
  const branch = `nightshift/${name}-${lease.token}`;
  const tree: TaskTree = await makeTaskTree(
    clonePorts,
    { repo: task.repo ?? "", name, branch, base: { head: task.head, rescue: task.rescue }, isKept },
    signal,
  );
  const script = findConfigFile(tree.path);
  if (script !== undefined && isCode(script))
    inheritTrust(ports.env, { root: findProjectRoot(tree.path), entries: [script] });
  const { config, problem } = await findConfig(ports, tree.path, task.worker);
  let isSafe = false;
  return {
    dir: tree.path,
    isWorktree: false,
    config,
    ...(problem === undefined && tree.problem === undefined
      ? {}
      : { problem: [tree.problem, problem].filter((one) => one !== undefined).join("; ") }),
    publish: async () => {
      const { isSafe: safe, ...note } = await pushWork(tree.git, { ...tree, name, token: lease.token });
      isSafe = safe;
      return note;
    },
    tidy: async () => {
      if (isSafe) await removeTaskTree(clonePorts, tree);
    },
  };
};
