import { isAbsolute, resolve } from "node:path";
import type { AgentConfig } from "../core/config/agent-config.ts";
import type { SandboxDeclaration } from "../core/config/sections/sandbox.ts";
import { type Environment, expandHome, realPath } from "../core/paths.ts";
import type { NetworkMode } from "./network/decide-target.ts";

export const SANDBOX_MODES = ["auto", "bubblewrap", "none"] as const;
export type SandboxMode = (typeof SANDBOX_MODES)[number];

/** What is undefined has no limit. */
export type SandboxLimits = {
  tmpMiB: number;
  fileMiB: number;
  processes: number;
  memoryMiB?: number;
  /** of how many processors the whole time */
  cpus?: number;
};

/** What was decided about the sandbox of a worker; paths are absolute. */
export type SandboxSettings = {
  mode: SandboxMode;
  network: { mode: NetworkMode; allow: readonly string[] };
  allowRead: readonly string[];
  allowWrite: readonly string[];
  hide: readonly string[];
  caches: readonly string[];
  env: readonly string[];
  secrets: readonly string[];
  limits: SandboxLimits;
};

const LIMITS: SandboxLimits = { tmpMiB: 2048, fileMiB: 10_240, processes: 4096 };

export const DEFAULT_SANDBOX: SandboxSettings = {
  mode: "auto",
  network: { mode: "allow-list", allow: [] },
  allowRead: [],
  allowWrite: [],
  hide: [],
  caches: [],
  env: [],
  secrets: [],
  limits: LIMITS,
};

type Declared = Pick<AgentConfig, "sandbox" | "workers">;

const declarationsOf = ({ sandbox, workers }: Declared, worker: string | undefined): SandboxDeclaration[] => {
  const own = worker !== undefined && workers && Object.hasOwn(workers, worker) ? workers[worker] : undefined;
  return [sandbox, own?.sandbox].filter((one) => one !== undefined);
};

/** What the config says about the sandbox of a worker: lists are put together, the worker's own words win. */
export const planSandbox = (
  config: Declared,
  {
    worker,
    root,
    env,
    mode,
  }: { worker?: string; root: string; env: Environment; mode?: SandboxMode | undefined },
): SandboxSettings => {
  const declared = declarationsOf(config, worker);
  const list = (key: "env" | "secrets") => [...new Set(declared.flatMap((one) => one[key] ?? []))];
  const paths = (key: "allowRead" | "allowWrite" | "hide" | "caches") => [
    ...new Set(
      declared
        .flatMap((one) => one[key] ?? [])
        .map((given) => {
          const path = expandHome(given, env);
          return realPath(isAbsolute(path) ? path : resolve(root, path));
        }),
    ),
  ];
  const last = declared.at(-1);
  const first = declared[0];
  return {
    mode: mode ?? last?.mode ?? first?.mode ?? DEFAULT_SANDBOX.mode,
    network: {
      mode: last?.network?.mode ?? first?.network?.mode ?? DEFAULT_SANDBOX.network.mode,
      allow: [...new Set(declared.flatMap((one) => one.network?.allow ?? []))],
    },
    allowRead: paths("allowRead"),
    allowWrite: paths("allowWrite"),
    hide: paths("hide"),
    caches: paths("caches"),
    env: list("env"),
    secrets: list("secrets"),
    limits: Object.assign({}, LIMITS, first?.limits, last?.limits),
  };
};

/**
 * Whether a config makes the sandbox wider than it is without: that is for a person to decide, since whoever works
 * in the project can write its config.
 */
export const widensSandbox = (config: Declared): boolean =>
  [config.sandbox, ...Object.values(config.workers ?? {}).map(({ sandbox }) => sandbox)].some(
    (one) =>
      one !== undefined &&
      (one.mode === "none" ||
        one.network?.mode === "open" ||
        one.limits !== undefined ||
        [one.network?.allow, one.allowRead, one.allowWrite, one.caches, one.env, one.secrets].some(
          (list) => list !== undefined && list.length > 0,
        )),
  );
