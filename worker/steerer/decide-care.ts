import { isActive } from "../state/worker-state.ts";
import type { ListedWorker } from "../state/worker-store.ts";
import type { CareRecord } from "./ledger.ts";
import type { Policies } from "./steer-settings.ts";

/** What is to be done about one worker, in this order. */
export type Care =
  | { kind: "reap"; marks: string[] }
  | { kind: "rescue" }
  | { kind: "restart"; number: number }
  | { kind: "settle"; status: "gave-up" | "left-alone"; reason: string };

/** Everything that is looked at before deciding; `isHeld`: a live process holds the worker's lock. */
export type Observation = {
  worker: ListedWorker;
  isHeld: boolean;
  hasStopRequest: boolean;
  /** marks of its sessions that live processes carry */
  liveMarks: string[];
  record: CareRecord;
};

const HOUR_MS = 3_600_000;

/** The restarts that still count against the budget. */
export const recentRestarts = ({ restarts }: Pick<CareRecord, "restarts">, nowMs: number): string[] =>
  restarts.filter((at) => Date.parse(at) > nowMs - HOUR_MS && Date.parse(at) <= nowMs);

/** Names one death (or end) of a worker, so that each is dealt with once. */
export const deathOf = ({ supervisor, sessions, endedAt, updatedAt }: ListedWorker): string =>
  `${supervisor.bootId}:${supervisor.pid}:${supervisor.startTime}:${sessions.length}:${endedAt ?? updatedAt}`;

const afterCrash = (
  { worker, hasStopRequest, record }: Observation,
  { restart, restartsPerHour }: Policies,
  nowMs: number,
): Care => {
  if (hasStopRequest || worker.recordedStatus === "stopping")
    return { kind: "settle", status: "left-alone", reason: "it was asked to stop before it crashed" };
  if (!restart)
    return {
      kind: "settle",
      status: "left-alone",
      reason: "restarts are switched off (steerer.policies.restart)",
    };
  const recent = recentRestarts(record, nowMs);
  if (recent.length >= restartsPerHour)
    return {
      kind: "settle",
      status: "gave-up",
      reason: `${recent.length === 0 ? "crashed, and no restart is allowed" : `crashed again after ${recent.length} restarts within an hour`} (steerer.policies.restartsPerHour); look at its log, then: worker resume ${worker.name}`,
    };
  return { kind: "restart", number: recent.length + 1 };
};

/**
 * Decides what a worker needs. A live supervisor, or anybody else who holds the worker, is never touched;
 * what was settled for this death stays settled until somebody resumes the worker.
 */
export const decideCare = (observation: Observation, policies: Policies, nowMs: number): Care[] => {
  const { worker, isHeld, liveMarks, record } = observation;
  const isCrashed = worker.status === "crashed";
  if (isHeld || isActive(worker.status)) return [];
  const reap: Care[] = policies.reap && liveMarks.length > 0 ? [{ kind: "reap", marks: liveMarks }] : [];
  const death = deathOf(worker);
  const rescue: Care[] = policies.rescue && record.tidied !== death ? [{ kind: "rescue" }] : [];
  if (!isCrashed || record.settled?.death === death) return [...reap, ...rescue];
  const next = afterCrash(observation, policies, nowMs);
  // A restarted worker rescues by itself, and tells its agent.
  return next.kind === "restart" ? [...reap, next] : [...reap, ...rescue, next];
};
