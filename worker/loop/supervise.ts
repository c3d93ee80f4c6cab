import { randomUUID } from "node:crypto";
import { AppError } from "../../core/errors.ts";
import { type LockOwner, describeHolder, describeProcess } from "../../core/lock-owner.ts";
import { createGit } from "../../core/git.ts";
import { MARKER, endMarked, listLiveMarks, nestMark } from "../../core/process-tree.ts";
import { checkNeighbours, takeDirectory, takeTree } from "./directory-lock.ts";
import { HeldLocks } from "./held-locks.ts";
import type { StartRequest } from "./start-request.ts";
import type { SupervisorPorts } from "./supervisor-ports.ts";
import { Supervisor } from "./supervisor.ts";
import { workerFiles } from "../state/worker-files.ts";
import { placeOf } from "../state/worker-place.ts";
import type { WorkerState } from "../state/worker-state.ts";
import { findState } from "../state/worker-store.ts";
import { ensureWorktree } from "../session/worktree.ts";

const labelOf = (name: string): string => `worker "${name}"`;

const refuse =
  ({ name, dir }: StartRequest) =>
  (holder: LockOwner): AppError => {
    const isElsewhere = holder.dir !== undefined && holder.dir !== dir;
    const next = isElsewhere
      ? `in ${holder.dir}; start this one under another name`
      : `stop it with: worker stop ${name}`;
    const problem =
      holder.label === labelOf(name)
        ? `is already running ${describeProcess(holder)}`
        : `is held by ${describeHolder(holder)}`;
    return new AppError("locked", `worker ${name} ${problem}; ${next}`, { details: { holder } });
  };

/** Somebody else may have taken the name since it was chosen. */
const assertOwnRecord = (home: string, request: StartRequest): void => {
  const state = request.lease ? undefined : findState(home, request.name);
  if (state && placeOf(state) !== placeOf(request))
    throw new AppError(
      "conflict",
      `worker ${request.name} belongs to ${placeOf(state)}; start the one of ${placeOf(request)} again, and it gets a name of its own`,
    );
};

/**
 * Runs a worker to its end in this process: takes the locks, ends what dead owners of the directory left
 * running, whatever their names were, and runs session after session until the loop decides that it is over.
 * Returns the final state.
 * @throws AppError `locked` when the worker or the directory is held by a live process
 */
export const supervise = async (
  ports: Omit<SupervisorPorts, "locks"> & { beatMs?: number },
  request: StartRequest,
): Promise<WorkerState> => {
  const { clock, home } = ports;
  const claim = randomUUID();
  const locks = new HeldLocks({
    label: labelOf(request.name),
    dir: request.dir,
    claim,
    beatMs: ports.beatMs,
  });
  // Whoever finds our locks after our death finds by their claim what we have started.
  const env = { ...ports.env, [MARKER]: request.lease ? nestMark(ports.env, claim) : claim };
  const git = createGit(request.dir, env);
  const place = { home, dir: request.dir, isShared: request.isShared };
  const { supervisorLock } = workerFiles(home, request.name);
  const reaped: number[] = [];
  const endLeftovers = async () => {
    const live = listLiveMarks();
    for (const mark of locks.leftBy.filter((one) => live.has(one)))
      reaped.push(...(await endMarked(mark, { clock })).ended.map(({ pid }) => pid));
  };
  try {
    locks.take(supervisorLock, refuse(request));
    assertOwnRecord(home, request);
    takeDirectory(locks, place);
    await endLeftovers();
    if (request.worktree) await ensureWorktree(env, request.worktree, request.dir);
    await takeTree(locks, git, place);
    if (!place.isShared) await checkNeighbours(locks, git, place);
    await endLeftovers();
    const prove = async () => {
      locks.prove();
      await takeTree(locks, git, place); // the tree may have become a repository
    };
    const isOwner = () => locks.isOurs(supervisorLock);
    return await new Supervisor(
      { ...ports, env, locks: { prove, lost: locks.lost, isOwner, reaped } },
      request,
    ).run();
  } finally {
    locks.release();
  }
};
