import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { writeFailure } from "../core/durable-file.ts";
import { endMarked } from "../core/process-tree.ts";
import type { SandboxSettings } from "../sandbox/settings.ts";
import { agentEnv } from "../worker/loop/agent-env.ts";
import { spawnLeasedSupervisor } from "../worker/start/spawn-supervisor.ts";
import { runMark, jobMark } from "../worker/state/lease.ts";
import { workerFiles } from "../worker/state/worker-files.ts";
import type { Claim } from "../queue/job.ts";
import { findOwnRun, takeOver } from "./carry-state.ts";
import { isCarriedOn } from "./decide-result.ts";
import { forgetOldRuns } from "./forget-old-runs.ts";
import { createLocalWork } from "./local-work.ts";
import type { Machine, PreparedRun } from "./machine.ts";
import { planRun, runName } from "./plan-run.ts";
import type { Tell } from "./pool-ports.ts";
import { type Place, type PlacePorts, findCloneResult, preparePlace } from "./prepare-place.ts";
import { type LeastFree, findShortage } from "./free-space.ts";
import type { Clock } from "../core/clock.ts";
import { endLeftovers } from "../worker/loop/stop-worker.ts";
import { listWorkers } from "../worker/state/worker-store.ts";

export type LocalMachinePorts = PlacePorts & {
  /** where workers keep their state */
  workersHome: string;
  host: string;
  /** the pool's name */
  pool: string;
  room: LeastFree;
  /** what its tasks may touch, and whom they may call */
  sandbox: SandboxSettings;
  tell: Tell;
};

/** This machine: its processes, folders and clones. */
export const createLocalMachine = (ports: LocalMachinePorts): Machine => {
  const { clock, queueId, workersHome } = ports;
  return {
    findShortage: () => findShortage(ports.poolHome, ports.room),
    endOldRuns: () => endOldRuns(ports, ports.host),
    forgetOldRuns: (findOpen) => forgetOldRuns(ports, findOpen),
    endTask: async (task) => void (await endMarked(jobMark(queueId, task), { clock, graceMs: 0 })),
    endRun: async (lease, graceMs) => void (await endMarked(runMark(queueId, lease), { clock, graceMs })),
    findResult: async (claim) => findCloneResult(ports, { claim, name: runName(claim.task, queueId) }),
    prepare: async (claim, signal) => {
      const name = runName(claim.task, queueId);
      const own = findOwnRun(workersHome, name, { queueId, claim });
      const place = await preparePlace(ports, { claim, name, isKept: own !== undefined }, signal);
      const isOver = own !== undefined && ["complete", "unverified"].includes(own.status);
      const previous = own ?? takeOver(workersHome, name, claim);
      return {
        problem: place.problem,
        unreported: isOver && isCarriedOn(own, claim.retriedFrom) ? own : undefined,
        isResumed: previous !== undefined,
        result: place.result,
        start: (until) => start(ports, { claim, name, place, previous }, until),
      };
    },
  };
};

const start = async (
  ports: LocalMachinePorts,
  {
    claim,
    name,
    place,
    previous,
  }: { claim: Claim; name: string; place: Place; previous: ReturnType<typeof takeOver> },
  until: number,
): ReturnType<PreparedRun["start"]> => {
  const { workersHome, queueId, host, pool } = ports;
  const { lease, retriedFrom, task } = claim;
  const request = await planRun(
    ports.env,
    {
      task,
      name,
      place,
      sandbox: ports.sandbox,
      previous: previous && { state: previous, isCarriedOn: isCarriedOn(previous, retriedFrom) },
    },
    { ...lease, host, pool, mark: runMark(queueId, lease), until },
  );
  const { heartbeat } = workerFiles(workersHome, name);
  try {
    mkdirSync(dirname(heartbeat), { recursive: true, mode: 0o700 });
    writeFileSync(heartbeat, "", { mode: 0o600 });
  } catch (error) {
    throw writeFailure(heartbeat, error);
  }
  const supervisor = spawnLeasedSupervisor({ env: agentEnv(ports.env), home: workersHome }, request);
  const announced = await supervisor.announced;
  return createLocalWork({ workersHome, name, supervisor, announced });
};

/** Ends what a killed pool of this machine and its killed supervisors left running; told by the sessions' marks. */
const endOldRuns = async (
  { clock, workersHome, tell }: { clock: Clock; workersHome: string; tell: Tell },
  host: string,
): Promise<void> => {
  for (const worker of listWorkers(workersHome).workers) {
    if (worker.lease?.host !== host || worker.shown !== "crashed") continue;
    await endLeftovers(worker, clock);
    tell({
      type: "problem",
      task: worker.lease.task,
      worker: worker.name,
      message:
        "its supervisor was killed; its leftover processes were ended, and the task will be offered again",
    });
  }
};
