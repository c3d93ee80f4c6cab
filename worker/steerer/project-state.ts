import { basename } from "node:path";
import { projectName } from "../state/project-name.ts";
import { ACTIVE } from "../state/worker-state.ts";
import type { ListedWorker } from "../state/worker-store.ts";

/** What the memory service keeps of a project. */
export type ProjectState = {
  status: "working" | "waiting" | "blocked" | "done" | "idle";
  blockers: string[];
  nextSteps: string[];
  workers: Record<string, string>;
};

/** A worker that needs a person, in one line. */
const blockerOf = (worker: ListedWorker, settled: string | undefined): string | undefined => {
  const { name, status, stopReason, lastGate } = worker;
  if (status === "crashed")
    return settled === undefined ? undefined : `${name} crashed and stays down: ${settled}`;
  if (status === "failed" || status === "stalled" || status === "max-reached")
    return `${name} ${status}: ${stopReason ?? "no reason given"}`;
  if (status === "stopped") return undefined;
  if (lastGate?.verdict === "blocked" && !ACTIVE.includes(worker.recordedStatus))
    return `${name}: gates blocked${lastGate.problem ? ` (${lastGate.problem})` : ""}`;
  return undefined;
};

const nextStepOf = (worker: ListedWorker): string | undefined => {
  const { name, status } = worker;
  const handoff = worker.sessions.findLast(({ handoffFile }) => handoffFile !== undefined)?.handoffFile;
  const note = handoff === undefined ? "" : ` (handoff ${basename(handoff)})`;
  if (["crashed", "failed", "stalled", "max-reached", "stopped"].includes(status))
    return `worker resume ${name}${note}`;
  if (status === "unverified") return `check the work of ${name}: no gate verified it${note}`;
  return undefined;
};

const statusOf = (workers: readonly ListedWorker[], blockers: readonly string[]): ProjectState["status"] => {
  if (blockers.length > 0) return "blocked";
  if (workers.some(({ status }) => status === "waiting")) return "waiting";
  if (workers.some(({ recordedStatus }) => ACTIVE.includes(recordedStatus))) return "working";
  return workers.some(({ status }) => status === "complete") ? "done" : "idle";
};

/** Where each project of the watched workers stands; `settled` is why a crashed worker was not restarted. */
export const projectStates = (
  watched: readonly { worker: ListedWorker; settled: string | undefined }[],
): Record<string, ProjectState> => {
  const projects = new Map<string, { worker: ListedWorker; settled: string | undefined }[]>();
  for (const one of watched) {
    const name = projectName(one.worker);
    projects.set(name, [...(projects.get(name) ?? []), one]);
  }
  return Object.fromEntries(
    [...projects].map(([name, all]) => {
      const workers = all.map(({ worker }) => worker);
      const blockers = all.flatMap(({ worker, settled }) => blockerOf(worker, settled) ?? []);
      return [
        name,
        {
          status: statusOf(workers, blockers),
          blockers,
          nextSteps: workers.flatMap((worker) => nextStepOf(worker) ?? []),
          workers: Object.fromEntries(workers.map((worker) => [worker.name, worker.status])),
        },
      ];
    }),
  );
};
