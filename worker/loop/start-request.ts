import type { AgentSettings } from "../../agents/driver.ts";
import type { Budget } from "../../core/config/sections/budget.ts";
import type { RecallSettings } from "../session/past-conversations.ts";
import type { ReviewSettings } from "../../verdict/reviewer/review.ts";
import type { VerifySettings } from "../../verdict/seal/settings.ts";
import type { ProjectGates } from "../session/project-gates.ts";
import type { MemorySettings } from "../session/memory-client.ts";
import type { SandboxSettings } from "../../sandbox/settings.ts";
import type { FleetSettings } from "../telling/fleet-client.ts";
import type { Link } from "../state/chain.ts";
import type { LeaseTag } from "../state/lease.ts";
import type { ResolvedLimits, WorkerState } from "../state/worker-state.ts";

/** Everything a supervisor is told; flags, config and defaults are already merged. */
export type StartRequest = {
  mode: "start" | "resume";
  name: string;
  task: string;
  /** real path */
  dir: string;
  agent: string;
  model?: string;
  /** agents that stand in for each other, the preferred first; absent for a worker with one */
  chain?: Link[];
  max: number;
  limits: ResolvedLimits;
  done: WorkerState["done"];
  onRateLimit: string;
  isShared: boolean;
  worktree?: NonNullable<WorkerState["worktree"]>;
  configRoot: string;
  /** settings of every declared agent, for a switch at a rate limit */
  agents: Readonly<Record<string, AgentSettings>>;
  /** what all workers of this user may spend together */
  budget?: Budget;
  /** what its sessions may touch, and whom they may call */
  sandbox: SandboxSettings;
  /** what judges the work where the project has no script of its own for it */
  gates: ProjectGates;
  /** how a DONE is judged */
  verify: VerifySettings;
  /** another agent that looks at the work, where the config wants one */
  review?: ReviewSettings;
  memory?: MemorySettings;
  /** why there is none, in words */
  memoryOff?: string;
  /** absent: past conversations are not asked */
  recall?: RecallSettings;
  /** the server that is told how the worker is */
  fleet?: FleetSettings;
  /** what a person wants the first session to read */
  notes?: string[];
  /** what was asked of the worker before this time (milliseconds since the epoch) was asked of an earlier run */
  sinceMs?: number;
  /** a worker of a pool: it ends when the lease does, first at `until` by the uptime of the machine */
  lease?: LeaseTag & { until: number };
  /** the run before it lost its lease or was drained: counts, clocks and circuits go on as they were */
  isCarriedOn?: boolean;
};
