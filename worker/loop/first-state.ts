import { withoutUndefined } from "../../core/without-undefined.ts";
import { randomUUID } from "node:crypto";
import type { Driver } from "../../agents/driver.ts";
import type { ChildIdentity } from "../../core/process-identity.ts";
import type { LeaseTag } from "../state/lease.ts";
import type { StartRequest } from "./start-request.ts";
import { ACTIVE, CRASHED, type SessionRecord, type WorkerState, spentBy } from "../state/worker-state.ts";

type Input = {
  request: StartRequest;
  previous: WorkerState | undefined;
  driver: Driver;
  supervisor: ChildIdentity;
  now: number;
  /** what holds its sessions */
  sandbox: NonNullable<WorkerState["sandbox"]>;
  /** top of the git work tree that the directory lies in today */
  workTree: string | undefined;
};

/** A session that a dead supervisor never closed: it ended with it. */
const closeOpen = (record: SessionRecord, at: string): SessionRecord =>
  record.endedAt ? record : { ...record, endedAt: at, endReason: "error", error: CRASHED };

/** What of an earlier run a resume goes on with, beside its sessions. */
const carriedOn = (previous: WorkerState, now: number) => {
  const { context, lastGate, verdict, waitingUntil, waitingFor } = previous;
  const isWaiting = waitingUntil !== undefined && Date.parse(waitingUntil) > now;
  return withoutUndefined({ context, lastGate, verdict, ...(isWaiting ? { waitingUntil, waitingFor } : {}) });
};

/**
 * The state a supervisor begins with: fresh for a start, carried on for a resume. A crash and a lost lease change
 * no count and no clock; a worker that had come to an end and is resumed gets its circuits closed and all its hours
 * (what it spent stays spent).
 */
export const firstState = ({
  request,
  previous,
  driver,
  supervisor,
  now,
  workTree,
  sandbox,
}: Input): WorkerState => {
  const at = new Date(now).toISOString();
  const isResumed = request.mode === "resume" && previous !== undefined;
  const wasCrashed = isResumed && (request.isCarriedOn === true || ACTIVE.includes(previous.status));
  const { name, task, dir, agent, model, max, limits, done, onRateLimit, isShared, worktree, configRoot } =
    request;
  // Another host goes on with the work in a tree of its own.
  const beganIn = (isResumed && previous.dir === dir ? previous.workTree : undefined) ?? workTree;
  const sessions = isResumed ? previous.sessions.map((record) => closeOpen(record, at)) : [];
  return {
    version: 1,
    name,
    task,
    run: (isResumed ? previous.run : undefined) ?? randomUUID(),
    dir,
    agent,
    agentTitle: driver.title,
    isScripted: driver.isScripted === true,
    ...chainOf(request, isResumed ? previous : undefined),
    max,
    limits,
    done,
    onRateLimit,
    isShared,
    sandbox,
    configRoot,
    ...withoutUndefined({ model, worktree, workTree: beganIn, lease: leaseTag(request.lease) }),
    status: "starting",
    session: sessions.filter((record) => record.isCounted).length,
    sessions,
    ...(isResumed ? circuitsFrom(previous, wasCrashed) : {}),
    supervisor,
    ...spentBy(sessions),
    ...(isResumed ? carriedOn(previous, now) : {}),
    memory: request.memory ? request.memory.url : "off",
    remarks: isResumed ? previous.remarks : [],
    createdAt: previous?.createdAt ?? at,
    startedAt: wasCrashed ? previous.startedAt : at,
    updatedAt: at,
  };
};

/** A resume goes on with the links that are held as they are. */
const chainOf = (
  { chain }: StartRequest,
  previous: WorkerState | undefined,
): Pick<WorkerState, "chain" | "link"> => {
  if (previous?.chain) return { chain: previous.chain, link: previous.link ?? 0 };
  return chain ? { chain, link: 0 } : {};
};

/** Without `until`, which is true for one life of a supervisor only. */
const leaseTag = (lease: StartRequest["lease"]): LeaseTag | undefined => {
  if (!lease) return undefined;
  const { until: _, ...tag } = lease;
  return tag;
};

const circuitsFrom = (
  { sessions, circuitsFrom: before }: WorkerState,
  wasCrashed: boolean,
): Pick<WorkerState, "circuitsFrom"> => {
  const from = wasCrashed ? before : sessions.at(-1)?.number;
  return from === undefined ? {} : { circuitsFrom: from };
};
