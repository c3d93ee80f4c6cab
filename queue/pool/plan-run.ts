import { planStart, maxAfterResume } from "../../worker/start/plan-start.ts";
import type { LeaseTag } from "../../worker/state/lease.ts";
import type { StartRequest } from "../../worker/loop/start-request.ts";
import { findState } from "../../worker/state/worker-store.ts";
import type { QueueTask } from "../task.ts";
import type { PoolPorts } from "./pool-ports.ts";
import type { Place } from "./prepare-place.ts";

const MAX_NAME = 64;

/** What a task's worker is called on its host: the declared name, the task, and which queue that is. */
export const runName = ({ id, worker }: Pick<QueueTask, "id" | "worker">, queueId: string): string => {
  const ending = `-${id}-${queueId.slice(0, 4)}`;
  return `${worker.slice(0, MAX_NAME - ending.length)}${ending}`;
};

export type LeasedRequest = StartRequest & { lease: NonNullable<StartRequest["lease"]> };

/** What the supervisor of a run is told: the declared worker, with the task's text and place, under a lease. */
export const planRun = async (
  ports: PoolPorts,
  { task, name, place, isResumed }: { task: QueueTask; name: string; place: Place; isResumed: boolean },
  lease: LeaseTag & { firstMs: number },
): Promise<LeasedRequest> => {
  const request = await planStart(
    { name, declared: task.worker, task: task.task, dir: place.dir, isWorktree: place.isWorktree },
    place.config,
    { env: ports.env, cwd: place.dir },
  );
  const previous = isResumed ? findState(ports.workersHome, name) : undefined;
  return {
    ...request,
    mode: previous ? "resume" : "start",
    max: previous ? maxAfterResume({ ...previous, max: request.max }) : request.max,
    lease,
  };
};
