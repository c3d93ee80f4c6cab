import type { AgentSettings, Driver } from "../../agents/driver.ts";
import type { Confinement } from "../../core/confinement.ts";
import type { Clock } from "../../core/clock.ts";
import type { Git } from "../../core/git.ts";
import type { Seal } from "../../verdict/seal/seal.ts";
import type { Verdict } from "../../verdict/verdict.ts";
import type { Reviewer } from "./reviewer.ts";
import type { SideSandboxes } from "./side-sandboxes.ts";
import type { StopSignals } from "./stop-switch.ts";
import type { WorkerFiles } from "../state/worker-files.ts";
import type { WorkerLog } from "../state/worker-log.ts";
import { type SessionRecord, type WorkerState, deadlineOf } from "../state/worker-state.ts";
import type { ClosingLine } from "./closing-line.ts";
import type { HandoffShelf } from "./handoff-shelf.ts";
import type { HealthReport } from "./health.ts";
import type { MemoryAnswer, MemorySettings } from "./memory-client.ts";
import type { ProjectGates } from "./project-gates.ts";
import type { RecallPast, RecallSettings } from "./past-conversations.ts";
import type { Rescue } from "./rescue.ts";
import type { Renderer } from "./show-steps.ts";
import type { Patience, Wait } from "./try-again.ts";
import type { Progress, WatchResult } from "./watch-agent.ts";
import type { WorkState } from "./work-state.ts";

/** What a session needs of the world; built once by the supervisor. */
export type SessionPorts = {
  clock: Clock;
  env: Readonly<Record<string, string>>;
  /** where the agent and the gates run; on the open machine without one */
  confinement: Confinement | undefined;
  /** for what goes on in another folder */
  sandboxes?: SideSandboxes | undefined;
  git: Git;
  fetch: typeof fetch;
  driver: Driver;
  settings: AgentSettings;
  memory: MemorySettings | undefined;
  /** why there is none, in words */
  memoryOff: string | undefined;
  recall: RecallSettings | undefined;
  recallPast: RecallPast;
  log: WorkerLog;
  files: WorkerFiles;
  handoffs: HandoffShelf;
  /** random word for fences and marks */
  randomWord: () => string;
  stop: StopSignals;
  /** USD that all workers together have left, when this session has spent so much; absent without a budget */
  budgetLeftUsd?: ((spentUsd: number) => number) | undefined;
  /** another agent that looks at the work of a DONE */
  reviewer?: Reviewer | undefined;
  /** told at every step and whenever the agent reports something new */
  onProgress: (record: SessionRecord, progress?: Progress) => void;
  /** told when a step waits for something that passes by itself, and when that is over */
  onWait: (wait: Wait | undefined) => void;
  /** how the pipeline is shown: a live view, plain lines, or not at all */
  renderer: Renderer;
};

export type SessionInput = {
  state: WorkerState;
  record: SessionRecord;
  /** marks of earlier sessions whose processes may be left over */
  oldMarks: readonly string[];
  gates: ProjectGates;
  /** the rules of a verdict as they stood before the first session; undefined outside of git */
  seal: Seal | undefined;
  /** top of the git work tree that the worker began in */
  workTree: string | undefined;
  previousHandoff?: { session: number; path: string; state?: string };
  /** the last gate report, when nothing has changed since */
  knownHealth?: { health: HealthReport; mark: string } | undefined;
  remarks: readonly string[];
};

export type SessionOutcome = {
  record: SessionRecord;
  closing: ClosingLine;
  result: WatchResult;
  memory: MemoryAnswer | undefined;
  /** gates after the session; only run for a DONE */
  healthAfter: HealthReport | undefined;
  /** how a DONE was judged; undefined without one, and where there is no commit to judge */
  verdict: Verdict | undefined;
  /** what they looked at */
  workTested: WorkState | undefined;
  /** how the work stands after them */
  workAfter: WorkState;
  rescue: Rescue | undefined;
};

/** How long a step of this worker may be repeated, and who hears of it. */
export const patience = (
  { clock, onWait }: Pick<SessionPorts, "clock" | "onWait">,
  state: Pick<WorkerState, "limits" | "startedAt">,
  stop: AbortSignal,
): Patience => ({
  clock,
  stop,
  backoffSeconds: state.limits.backoffSeconds,
  deadlineMs: deadlineOf(state),
  onWait,
});
