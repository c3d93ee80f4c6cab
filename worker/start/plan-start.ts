import { withoutUndefined } from "../../core/without-undefined.ts";
import { statSync, existsSync, realpathSync } from "node:fs";
import { VERIFY_DEFAULTS, type VerifySettings } from "../../verdict/seal/settings.ts";
import type { AgentConfig } from "../../core/config/agent-config.ts";
import type { AgentSettings } from "../../agents/driver.ts";
import type { LoadedConfig } from "../../core/config/load-config.ts";
import type { WorkerDeclaration } from "../../core/config/sections/workers.ts";
import { AppError } from "../../core/errors.ts";
import { createGit } from "../../core/git.ts";
import { nearestName } from "../../core/nearest-name.ts";
import { type Environment, realFolder, workersHome } from "../../core/paths.ts";
import { type SandboxMode, planSandbox } from "../../sandbox/settings.ts";
import { checkInstruction } from "./check-instruction.ts";
import { spentBudget } from "../loop/decide-next.ts";
import { planAgents } from "./plan-agents.ts";
import { serviceSettings } from "./plan-services.ts";
import { planChain } from "./plan-chain.ts";
import { chooseAgent, getDriver } from "./find-driver.ts";
import type { StartRequest } from "../loop/start-request.ts";
import { planWorktree } from "../session/worktree.ts";
import { shortName } from "../state/worker-names.ts";
import type { ListedWorker } from "../state/worker-store.ts";
import { checkWorkerName, chooseName } from "./choose-name.ts";
import { ACTIVE, DEFAULT_LIMITS, DEFAULT_MAX_SESSIONS, type WorkerState } from "../state/worker-state.ts";
import { join, relative } from "node:path";
import { findProjectRoot } from "../../core/config/find-config.ts";
import { isWithin } from "../../core/is-within.ts";
import type { ProjectGates } from "../session/project-gates.ts";

/** Refusals by a reviewer before a person has to decide. */
const DEFAULT_ROUNDS = 2;

/** How a worker's DONE is judged, as the config says now. */
const planVerify = ({ verify, workers }: AgentConfig, worker: string): VerifySettings => ({
  ...VERIFY_DEFAULTS,
  ...verify,
  mayChange: (workers && Object.hasOwn(workers, worker) ? workers[worker]?.mayChange : undefined) ?? [],
});

/** What holds a worker, judges it, pays for it and speaks with it, as the config says now. */
const planRules = (
  loaded: LoadedConfig,
  { worker, env, mode }: { worker: string; env: Environment; mode: SandboxMode | undefined },
) => {
  const { config, root } = loaded;
  return {
    sandbox: planSandbox(config, { worker, root, env, mode }),
    verify: planVerify(config, worker),
    ...(config.review ? { review: { rounds: DEFAULT_ROUNDS, ...config.review } } : {}),
    ...(config.budget ? { budget: config.budget } : {}),
    ...serviceSettings(loaded, env),
  };
};

/** What the command line says; everything else comes from the config. */
export type StartFlags = {
  name: string;
  /** the worker of the config that it is, when it has another name */
  declared?: string;
  task?: string | undefined;
  dir?: string | undefined;
  max?: number | undefined;
  agent?: string | undefined;
  model?: string | undefined;
  sandbox?: SandboxMode | undefined;
  isShared?: boolean;
  isWorktree?: boolean;
};

const findInstruction = (
  flags: StartFlags,
  declared: WorkerDeclaration | undefined,
  { config, path }: LoadedConfig,
): string => {
  const task = flags.task ?? declared?.task;
  if (task !== undefined && task.trim() !== "") return checkInstruction(task);
  const names = Object.keys(config.workers ?? {});
  const near = nearestName(flags.name, names);
  const hint = near
    ? `did you mean the declared worker ${near}?`
    : `declared workers: ${names.join(", ") || "none"}`;
  throw new AppError(
    "usage",
    `worker ${flags.name} has no task; pass --task "…" or declare workers.${flags.name}.task in ${path ?? "agent.config.ts"} (${hint})`,
  );
};

const workingFolder = (
  flags: StartFlags,
  declared: WorkerDeclaration | undefined,
  root: string,
  cwd: string,
): string => {
  const path =
    flags.dir === undefined
      ? realFolder(declared?.dir ?? (declared ? "." : cwd), declared ? root : cwd)
      : realFolder(flags.dir, cwd);
  if (!statSync(path).isDirectory()) throw new AppError("usage", `${path} is a file; --dir takes a folder`);
  return path;
};

/** Merges flags over config over defaults into what a supervisor is told. */
export const planStart = async (
  flags: StartFlags,
  loaded: LoadedConfig,
  { env, cwd }: { env: Environment; cwd: string },
): Promise<StartRequest> => {
  const { config, root } = loaded;
  checkWorkerName(flags.name);
  const known = flags.declared ?? shortName(flags.name);
  const declared = config.workers && Object.hasOwn(config.workers, known) ? config.workers[known] : undefined;
  const task = findInstruction(flags, declared, loaded);
  const dir = workingFolder(flags, declared, root, cwd);
  // What a pool starts has a name of its own.
  const name =
    flags.declared === undefined
      ? chooseName(workersHome(env), { name: flags.name, place: dir })
      : flags.name;
  const agents = planAgents(loaded);
  const onRateLimit = declared?.onRateLimit ?? "wait";
  const asked = {
    wanted: flags.agent ?? declared?.agent,
    model: flags.model ?? declared?.model,
    onRateLimit,
  };
  const { chosen, model, chain } = await planChain(asked, agents, env as Record<string, string>);
  await checkSubstitute(onRateLimit, agents);
  // A task of the queue has its place already.
  const isOwnTree =
    flags.isWorktree === true || (flags.declared === undefined && declared?.worktree === true);
  const place = isOwnTree
    ? await planWorktree(createGit(dir, env), { dir, name: name.replace("/", "-") })
    : { dir };
  return {
    mode: "start",
    name,
    task,
    ...place,
    agent: chosen.id,
    ...(model === undefined ? {} : { model }),
    ...(chain ? { chain } : {}),
    max: flags.max ?? declared?.max ?? DEFAULT_MAX_SESSIONS,
    limits: { ...DEFAULT_LIMITS, ...declared?.limits },
    done: { gates: true, cleanTree: true, ...declared?.done },
    onRateLimit,
    isShared: flags.isShared === true || declared?.shared === true,
    configRoot: root,
    gates: planGates(loaded, place),
    agents: { ...agents, [chosen.id]: chosen.settings },
    ...planRules(loaded, { worker: known, env, mode: flags.sandbox }),
  };
};

/** An agent that is to step in at a rate limit must be known now, not in the middle of the night. */
const checkSubstitute = async (
  onRateLimit: string,
  agents: Readonly<Record<string, AgentSettings>>,
): Promise<void> => {
  const id = /^agent:(.+)$/s.exec(onRateLimit)?.[1];
  if (id !== undefined) await getDriver(id, agents[id] ?? {});
};

/** A crash in the last session is not the agent's fault: it gets that one again. An end gets ten more. */
export const maxAfterResume = ({
  max,
  session,
  status,
}: Pick<WorkerState, "max" | "session" | "status">): number => {
  if (session < max) return max;
  return session + (ACTIVE.includes(status) ? 1 : DEFAULT_MAX_SESSIONS);
};

const checkBudget = (state: ListedWorker, limits: WorkerState["limits"]): void => {
  const spent = spentBudget({ ...state, limits });
  if (spent === undefined) return;
  throw new AppError(
    "conflict",
    `worker ${state.name} has used up its budget (${spent}); raise workers.${state.name}.limits in agent.config.ts and resume it again`,
  );
};

/** What is to be different when a worker goes on. */
export type ResumeChanges = {
  max?: number | undefined;
  task?: string | undefined;
  model?: string | undefined;
  budgetUsd?: number | undefined;
  /** for its first session */
  note?: string | undefined;
};

/**
 * What a supervisor is told to go on with a worker that crashed or ended: its state, with today's agents
 * and, where the config declares them, today's limits.
 * @throws AppError `conflict` when its budget of money or tokens is used up
 */
export const planResume = async (
  state: ListedWorker,
  loaded: LoadedConfig,
  { env, max, task, model, budgetUsd, note }: { env: Environment } & ResumeChanges,
): Promise<StartRequest> => {
  const agents = planAgents(loaded);
  const declared = loaded.config.workers?.[shortName(state.name)]?.limits;
  const limits = {
    ...(declared ? { ...DEFAULT_LIMITS, ...declared } : state.limits),
    ...(budgetUsd === undefined ? {} : { costUsd: budgetUsd }),
  };
  checkBudget(state, limits);
  const chosen = await chooseAgent(state.agent, agents, env as Record<string, string>);
  return {
    mode: "resume",
    name: state.name,
    task: task === undefined ? state.task : checkInstruction(task),
    // A worktree that is gone is made again.
    dir: state.worktree ? state.dir : realFolder(state.dir, "/"),
    agent: state.agent,
    ...withoutUndefined({ model: model ?? state.model, notes: note === undefined ? undefined : [note] }),
    max: max ?? maxAfterResume({ ...state, status: state.recordedStatus }),
    limits,
    done: state.done,
    onRateLimit: state.onRateLimit,
    isShared: state.isShared,
    ...(state.worktree ? { worktree: state.worktree } : {}),
    configRoot: state.configRoot,
    gates: planGates(loaded, state),
    agents: { ...agents, [chosen.id]: chosen.settings },
    ...planRules(loaded, { worker: shortName(state.name), env, mode: state.sandbox?.mode }),
  };
};

/**
 * Which gates judge a worker that has no gates/health.sh, and where: in the config's folder, as `nightshift gate`
 * does, where that is a folder of the same project; else in the worker's own project. In a worktree it is the
 * same folder of that.
 */
const planGates = (
  { config, root }: Pick<LoadedConfig, "config" | "root">,
  { dir, worktree }: { dir: string; worktree?: WorkerState["worktree"] },
): ProjectGates => {
  const declared = config.gates ?? {};
  const origin = worktree ? join(worktree.repository, relative(worktree.path, dir)) : dir;
  const project = worktree ? worktree.repository : findProjectRoot(dir);
  const folder = existsSync(root) ? realpathSync(root) : root;
  const isSame = isWithin(folder, project) && isWithin(origin, folder);
  const where = isSame ? folder : project;
  return { declared, root: worktree ? join(worktree.path, relative(worktree.repository, where)) : where };
};
