import type { AgentSettings, Driver } from "../../agents/driver.ts";
import type { Clock } from "../../core/clock.ts";
import type { Git } from "../../core/git.ts";
import type { StopSignals } from "./stop-switch.ts";
import type { WorkerFiles } from "../state/worker-files.ts";
import type { WorkerLog } from "../state/worker-log.ts";
import type { SessionRecord, WorkerState } from "../state/worker-state.ts";
import type { ClosingLine } from "./closing-line.ts";
import type { HandoffShelf } from "./handoff-shelf.ts";
import type { HealthReport } from "./health.ts";
import type { MemoryAnswer, MemorySettings } from "./memory-client.ts";
import type { PastConversations, RecallPast, RecallSettings } from "./past-conversations.ts";
import type { Rescue } from "./rescue.ts";
import type { Progress, WatchResult } from "./watch-agent.ts";
import type { WorkState } from "./work-state.ts";

/** What a session needs of the world; built once by the supervisor. */
export type SessionPorts = {
  clock: Clock;
  env: Readonly<Record<string, string>>;
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
  /** told at every step and whenever the agent reports something new */
  onProgress: (record: SessionRecord, progress?: Progress) => void;
  /** how the pipeline is shown: a live view, plain lines, or not at all */
  renderer: "default" | "simple" | "silent";
};

export type SessionInput = {
  state: WorkerState;
  record: SessionRecord;
  /** marks of earlier sessions whose processes may be left over */
  oldMarks: readonly string[];
  previousHandoff?: { session: number; path: string; state?: string };
  /** the last gate report, when nothing has changed since */
  knownHealth?: { health: HealthReport; mark: string };
  remarks: readonly string[];
};

export type SessionOutcome = {
  record: SessionRecord;
  closing: ClosingLine;
  result: WatchResult;
  memory: MemoryAnswer | undefined;
  /** gates after the session; only run for a DONE */
  healthAfter: HealthReport | undefined;
  workAfter: WorkState;
  rescue: Rescue | undefined;
};

/** What the steps of a session leave for each other. */
export type SessionContext = {
  before: WorkState;
  rescue: Rescue | undefined;
  health: HealthReport;
  memory: MemoryAnswer | undefined;
  /** asked while the gates run; never rejects */
  past: Promise<PastConversations>;
  prompt: string;
  result: WatchResult;
  note: string | undefined;
  closing: ClosingLine;
  healthAfter: HealthReport | undefined;
  after: WorkState;
};
