import { randomUUID } from "node:crypto";
import type { SessionInput, SessionOutcome } from "../session/session-ports.ts";
import type { SessionRecord, WorkerState } from "../state/worker-state.ts";

/** The record of the session that comes next; its mark is new, so that its processes can be told from all others. */
export const newRecord = (state: WorkerState, nowMs: number): SessionRecord => ({
  number: (state.sessions.at(-1)?.number ?? 0) + 1,
  agent: state.agent,
  startedAt: new Date(nowMs).toISOString(),
  isCounted: true,
  commits: [],
  hasChanged: false,
  mark: randomUUID(),
});

/** What the gates said of the work as it is now; red ones in a clean checkout say nothing of the work tree. */
export const knownHealthOf = ({
  healthAfter: health,
  verdict,
  workAfter,
}: SessionOutcome): SessionInput["knownHealth"] =>
  health === undefined || (verdict?.where === "clean" && health.record.verdict !== "healthy")
    ? undefined
    : { health, mark: workAfter.mark };

/** The newest handoff that an earlier session of this run left. */
export const previousHandoff = (
  state: WorkerState,
  number: number,
): Pick<SessionInput, "previousHandoff"> => {
  const last = state.sessions.findLast((record) => record.number < number && record.handoffFile);
  if (!last?.handoffFile) return {};
  const { number: session, handoffFile: path, handoffState } = last;
  return {
    previousHandoff: { session, path, ...(handoffState === undefined ? {} : { state: handoffState }) },
  };
};

/** What the next session of a worker begins with. */
export const sessionInput = (
  state: WorkerState,
  record: SessionRecord,
  {
    knownHealth,
    ...more
  }: Pick<SessionInput, "oldMarks" | "remarks" | "gates" | "seal"> & {
    knownHealth: SessionInput["knownHealth"] | undefined;
  },
): SessionInput => ({
  ...more,
  state,
  record,
  workTree: state.workTree,
  ...previousHandoff(state, record.number),
  ...(knownHealth ? { knownHealth } : {}),
});
