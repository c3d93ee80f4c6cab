import type { Driver } from "../../agents/driver.ts";
import type { ChildIdentity } from "../../core/process-identity.ts";
import type { StartRequest } from "./start-request.ts";
import type { SessionRecord, WorkerState } from "./worker-state.ts";

type Input = {
  request: StartRequest;
  previous: WorkerState | undefined;
  driver: Driver;
  supervisor: ChildIdentity;
  now: number;
};

/** A session that a dead supervisor never closed: it ended with it. */
const closeOpen = (record: SessionRecord, at: string): SessionRecord =>
  record.endedAt ? record : { ...record, endedAt: at, endReason: "error", error: "the supervisor crashed" };

/**
 * The state a supervisor begins with: fresh for a start, carried on for a resume. Both keep what is needed
 * to clean up after the previous run (its marks are in its sessions).
 */
export const firstState = ({ request, previous, driver, supervisor, now }: Input): WorkerState => {
  const at = new Date(now).toISOString();
  const isResumed = request.mode === "resume" && previous !== undefined;
  const { name, task, dir, agent, model, max, limits, done, onRateLimit, isShared, worktree, configRoot } =
    request;
  const sessions = isResumed ? previous.sessions.map((record) => closeOpen(record, at)) : [];
  return {
    version: 1,
    name,
    task,
    dir,
    agent,
    agentTitle: driver.title,
    isScripted: driver.isScripted === true,
    ...(model === undefined ? {} : { model }),
    max,
    limits,
    done,
    onRateLimit,
    isShared,
    ...(worktree ? { worktree } : {}),
    configRoot,
    status: "starting",
    session: sessions.filter((record) => record.isCounted).length,
    sessions,
    supervisor,
    ...(isResumed && previous.context ? { context: previous.context } : {}),
    costUsd: isResumed ? previous.costUsd : 0,
    tokens: isResumed ? previous.tokens : 0,
    ...(isResumed && previous.lastGate ? { lastGate: previous.lastGate } : {}),
    ...(isResumed && previous.waitingUntil ? { waitingUntil: previous.waitingUntil } : {}),
    memory: request.memory ? request.memory.url : "off",
    remarks: isResumed ? previous.remarks : [],
    createdAt: previous?.createdAt ?? at,
    startedAt: isResumed ? previous.startedAt : at,
    updatedAt: at,
  };
};
