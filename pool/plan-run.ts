import { planStart, maxAfterResume } from "../worker/start/plan-start.ts";
import type { SandboxSettings } from "../sandbox/settings.ts";
import type { LeaseTag } from "../worker/state/lease.ts";
import type { StartRequest } from "../worker/loop/start-request.ts";
import type { Job } from "../queue/job.ts";
import type { Environment } from "../core/paths.ts";
import type { WorkerState } from "../worker/state/worker-state.ts";
import type { Place } from "./prepare-place.ts";

const MAX_NAME = 64;

/** What a task's worker is called on its host: the declared name, the task, and which queue that is. */
export const runName = ({ id, worker }: Pick<Job, "id" | "worker">, queueId: string): string => {
  const ending = `-${id}-${queueId.slice(0, 4)}`;
  return `${worker.slice(0, MAX_NAME - ending.length)}${ending}`;
};

export type LeasedRequest = StartRequest & { lease: NonNullable<StartRequest["lease"]> };

/** The state that a run goes on from, and whether only its lease ended: then its limits go on as they were. */
export type Previous = { state: WorkerState; isCarriedOn: boolean };

/** A lost lease is not the agent's fault, and no new beginning: its last session is had again, as after a crash. */
export const maxAfter = ({ state, isCarriedOn }: Previous, max: number): number =>
  maxAfterResume({ ...state, max, ...(isCarriedOn ? { status: "running" } : {}) });

/** What the supervisor of a run is told: the declared worker, with the task's text and place, under a lease. */
export const planRun = async (
  env: Environment,
  {
    task,
    name,
    place,
    previous,
    sandbox,
  }: {
    task: Job;
    name: string;
    place: Place;
    previous: Previous | undefined;
    sandbox: SandboxSettings;
  },
  lease: LeaseTag & { until: number },
): Promise<LeasedRequest> => {
  const request = await planStart(
    { name, declared: task.worker, task: task.task, dir: place.dir, isWorktree: place.isWorktree },
    place.config,
    { env, cwd: place.dir },
  );
  return {
    ...request,
    // The pool's own: a repository that it was sent has no say in what it may touch.
    sandbox,
    mode: previous ? "resume" : "start",
    max: previous ? maxAfter(previous, request.max) : request.max,
    ...(previous?.isCarriedOn ? { isCarriedOn: true } : {}),
    lease,
  };
};
