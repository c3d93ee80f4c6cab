import { resolve } from "node:path";
import type { LoadedConfig } from "../../core/config/load-config.ts";
import { type Environment, expandHome, realFolder } from "../../core/paths.ts";
import type { MemorySettings } from "../session/memory-client.ts";
import { fleetSettings, memorySettings } from "../start/plan-services.ts";
import type { FleetSettings } from "../telling/fleet-client.ts";

/** What the steerer may do by itself. */
const DEFAULT_POLICIES = {
  restart: true,
  restartsPerHour: 3,
  reap: true,
  rescue: true,
  learn: true,
};

export type Policies = typeof DEFAULT_POLICIES;

export type SteerSettings = {
  /** real paths */
  dirs: string[];
  intervalMs: number;
  policies: Policies;
  memory: MemorySettings | undefined;
  /** the server that passes on what people want of workers that do not run */
  fleet: FleetSettings | undefined;
};

const DEFAULT_INTERVAL_SECONDS = 30;

/** Flags over config over defaults. @throws AppError `not-found` for a directory that is not there */
export const steerSettings = (
  { dirs, intervalSeconds }: { dirs: readonly string[]; intervalSeconds?: number | undefined },
  loaded: LoadedConfig,
  { env, cwd }: { env: Environment; cwd: string },
): SteerSettings => {
  const declared = loaded.config.steerer ?? {};
  const paths =
    dirs.length > 0
      ? dirs.map((dir) => realFolder(expandHome(dir, env), cwd))
      : (declared.dirs ?? ["."]).map((dir) => realFolder(resolve(loaded.root, expandHome(dir, env)), cwd));
  return {
    dirs: [...new Set(paths)],
    intervalMs: (intervalSeconds ?? declared.intervalSeconds ?? DEFAULT_INTERVAL_SECONDS) * 1000,
    policies: { ...DEFAULT_POLICIES, ...declared.policies },
    memory: memorySettings(loaded, env),
    fleet: fleetSettings(loaded, env),
  };
};
