import type { AgentSettings } from "../../agents/driver.ts";
import type { MemorySettings } from "../session/memory-client.ts";
import type { ResolvedLimits, WorkerState } from "./worker-state.ts";

/** Everything a supervisor is told; flags, config and defaults are already merged. */
export type StartRequest = {
  mode: "start" | "resume";
  name: string;
  task: string;
  /** real path */
  dir: string;
  agent: string;
  model?: string;
  max: number;
  limits: ResolvedLimits;
  done: WorkerState["done"];
  onRateLimit: string;
  isShared: boolean;
  worktree?: NonNullable<WorkerState["worktree"]>;
  configRoot: string;
  /** settings of every declared agent, for a switch at a rate limit */
  agents: Readonly<Record<string, AgentSettings>>;
  memory?: MemorySettings;
};
