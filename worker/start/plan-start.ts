import { isAbsolute, resolve } from "node:path";
import { statSync } from "node:fs";
import type { AgentSettings } from "../../agents/driver.ts";
import { WORKER_NAME } from "../../core/config/config-schema.ts";
import type { LoadedConfig } from "../../core/config/load-config.ts";
import type { WorkerDeclaration } from "../../core/config/sections/workers.ts";
import { AppError } from "../../core/errors.ts";
import { createGit } from "../../core/git.ts";
import { nearestName } from "../../core/nearest-name.ts";
import { type Environment, expandHome, homeFolder, realFolder } from "../../core/paths.ts";
import { hostName } from "../../core/host-name.ts";
import type { RecallSettings } from "../session/past-conversations.ts";
import type { MemorySettings } from "../session/memory-client.ts";
import { checkTask } from "./check-task.ts";
import { spentBudget } from "../loop/decide-next.ts";
import { planGates } from "./plan-gates.ts";
import { chooseAgent, getDriver } from "./find-driver.ts";
import type { FleetSettings } from "../loop/fleet-reporter.ts";
import type { StartRequest } from "../loop/start-request.ts";
import { planWorktree } from "../session/worktree.ts";
import { ACTIVE, DEFAULT_LIMITS, DEFAULT_MAX_SESSIONS, type WorkerState } from "../state/worker-state.ts";

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
  isShared?: boolean;
  isWorktree?: boolean;
};

/** @throws AppError `usage` when the name could not be a file name */
export const checkWorkerName = (name: string): string => {
  if (new RegExp(WORKER_NAME).test(name)) return name;
  throw new AppError(
    "usage",
    `worker name ${JSON.stringify(name)} cannot be used: letters, digits, ".", "_" and "-", at most 64, beginning with a letter or digit`,
  );
};

/** Where the memory service is: the config, else `NIGHTSHIFT_MEMORY_URL`; none by default. */
export const memorySettings = (
  { config, root }: LoadedConfig,
  env: Environment,
): MemorySettings | undefined => {
  const url = config.memory?.url ?? env["NIGHTSHIFT_MEMORY_URL"];
  if (!url) return undefined;
  return { url, keyFile: memoryKeyFile({ config, root }, env) };
};

const memoryKeyFile = ({ config, root }: Pick<LoadedConfig, "config" | "root">, env: Environment): string =>
  config.memory?.keyFile
    ? resolve(root, expandHome(config.memory.keyFile, env))
    : resolve(env["MEMORY_API_KEY_FILE"] || resolve(homeFolder(env), ".memory-api-key"));

const RECALL_DEFAULTS: RecallSettings = { scope: "everywhere", maxTokens: 1000, timeoutMs: 5_000 };

/** How past conversations are asked, unless the config switches that off. */
const recallSettings = ({ recall }: LoadedConfig["config"]): RecallSettings | undefined =>
  recall?.enabled === false
    ? undefined
    : {
        scope: recall?.scope ?? RECALL_DEFAULTS.scope,
        maxTokens: recall?.maxTokens ?? RECALL_DEFAULTS.maxTokens,
        timeoutMs:
          recall?.timeoutSeconds === undefined ? RECALL_DEFAULTS.timeoutMs : recall.timeoutSeconds * 1000,
      };

/** The services that a supervisor talks to, as today's config says. */
const serviceSettings = (
  loaded: LoadedConfig,
  env: Environment,
): Pick<StartRequest, "memory" | "recall" | "fleet"> => {
  const memory = memorySettings(loaded, env);
  const recall = recallSettings(loaded.config);
  const fleet = fleetSettings(loaded, env);
  return { ...(memory ? { memory } : {}), ...(recall ? { recall } : {}), ...(fleet ? { fleet } : {}) };
};

/** The server that a worker is reported to: the config's, `NIGHTSHIFT_URL`, else the one of the memory. */
export const fleetSettings = (loaded: LoadedConfig, env: Environment): FleetSettings | undefined => {
  const url = loaded.config.server?.url ?? env["NIGHTSHIFT_URL"] ?? memorySettings(loaded, env)?.url;
  return url ? { url, keyFile: memoryKeyFile(loaded, env), host: hostName(env) } : undefined;
};

const findTask = (
  flags: StartFlags,
  declared: WorkerDeclaration | undefined,
  { config, path }: LoadedConfig,
): string => {
  const task = flags.task ?? declared?.task;
  if (task !== undefined && task.trim() !== "") return checkTask(task);
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

const absoluteScript = (settings: AgentSettings, root: string): AgentSettings => {
  const script = settings["script"];
  return typeof script === "string" && !isAbsolute(script)
    ? { ...settings, script: resolve(root, script) }
    : settings;
};

const agentSettings = ({ config, root }: LoadedConfig): Record<string, AgentSettings> =>
  Object.fromEntries(
    Object.entries(config.agents ?? {}).map(([id, settings]) => [
      id,
      absoluteScript(settings as AgentSettings, root),
    ]),
  );

/** Merges flags over config over defaults into what a supervisor is told. */
export const planStart = async (
  flags: StartFlags,
  loaded: LoadedConfig,
  { env, cwd }: { env: Environment; cwd: string },
): Promise<StartRequest> => {
  const { config, root } = loaded;
  const name = checkWorkerName(flags.name);
  const known = flags.declared ?? name;
  const declared = config.workers && Object.hasOwn(config.workers, known) ? config.workers[known] : undefined;
  const task = findTask(flags, declared, loaded);
  const dir = workingFolder(flags, declared, root, cwd);
  const agents = agentSettings(loaded);
  const chosen = await chooseAgent(flags.agent ?? declared?.agent, agents, env as Record<string, string>);
  const model = flags.model ?? declared?.model ?? chosen.settings.model;
  const onRateLimit = declared?.onRateLimit ?? "wait";
  await checkSubstitute(onRateLimit, agents);
  // A task of the queue has its place already.
  const isOwnTree =
    flags.isWorktree === true || (flags.declared === undefined && declared?.worktree === true);
  const place = isOwnTree ? await planWorktree(createGit(dir, env), { dir, name }) : { dir };
  return {
    mode: "start",
    name,
    task,
    ...place,
    agent: chosen.id,
    ...(model === undefined ? {} : { model }),
    max: flags.max ?? declared?.max ?? DEFAULT_MAX_SESSIONS,
    limits: { ...DEFAULT_LIMITS, ...declared?.limits },
    done: { gates: true, cleanTree: true, ...declared?.done },
    onRateLimit,
    isShared: flags.isShared === true || declared?.shared === true,
    configRoot: root,
    gates: planGates(loaded, place),
    agents: { ...agents, [chosen.id]: chosen.settings },
    ...serviceSettings(loaded, env),
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
export const maxAfterResume = ({ max, session, status }: WorkerState): number => {
  if (session < max) return max;
  return session + (ACTIVE.includes(status) ? 1 : DEFAULT_MAX_SESSIONS);
};

const checkBudget = (state: WorkerState, limits: WorkerState["limits"]): void => {
  const spent = spentBudget({ ...state, limits });
  if (spent === undefined) return;
  throw new AppError(
    "conflict",
    `worker ${state.name} has nothing left to go on with (${spent}); raise workers.${state.name}.limits in agent.config.ts and resume it again`,
  );
};

/**
 * What a supervisor is told to go on with a worker that crashed or ended: its state, with today's agents
 * and, where the config declares them, today's limits.
 * @throws AppError `conflict` when its budget of money or tokens is used up
 */
export const planResume = async (
  state: WorkerState,
  loaded: LoadedConfig,
  { env, max }: { env: Environment; max?: number | undefined },
): Promise<StartRequest> => {
  const agents = agentSettings(loaded);
  const declared = loaded.config.workers?.[state.name]?.limits;
  const limits = declared ? { ...DEFAULT_LIMITS, ...declared } : state.limits;
  checkBudget(state, limits);
  const chosen = await chooseAgent(state.agent, agents, env as Record<string, string>);
  return {
    mode: "resume",
    name: state.name,
    task: state.task,
    // A worktree that is gone is made anew.
    dir: state.worktree ? state.dir : realFolder(state.dir, "/"),
    agent: state.agent,
    ...(state.model === undefined ? {} : { model: state.model }),
    max: max ?? maxAfterResume(state),
    limits,
    done: state.done,
    onRateLimit: state.onRateLimit,
    isShared: state.isShared,
    ...(state.worktree ? { worktree: state.worktree } : {}),
    configRoot: state.configRoot,
    gates: planGates(loaded, state),
    agents: { ...agents, [chosen.id]: chosen.settings },
    ...serviceSettings(loaded, env),
  };
};
