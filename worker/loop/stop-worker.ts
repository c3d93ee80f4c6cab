import type { Clock } from "../../core/clock.ts";
import { AppError } from "../../core/errors.ts";
import { endMarked, signalProcess } from "../../core/process-tree.ts";
import { sendControl } from "../state/control.ts";
import { workerFiles } from "../state/worker-files.ts";
import { type ListedWorker, getWorker, isSupervised } from "../state/worker-store.ts";

export type Stopped = { name: string; before: string; after: string; reason: string | undefined };

const POLL_MS = 50;

/**
 * Stops a worker and waits until it has stopped: gently (the agent gives its handoff first) or at once. A
 * worker whose supervisor is dead has its leftover processes ended, and nothing is asked of anybody.
 * @throws AppError `interrupted` when `signal` aborts the waiting; the request stands
 */
export const stopWorker = async (
  { clock, home, signal }: { clock: Clock; home: string; signal: AbortSignal },
  { name, isNow }: { name: string; isNow: boolean },
): Promise<Stopped> => {
  const worker = getWorker(home, name);
  const answer = (now: ListedWorker): Stopped => ({
    name,
    before: worker.status,
    after: now.status,
    reason: now.stopReason,
  });
  if (worker.status === "crashed") {
    await endLeftovers(worker, clock);
    sendControl(workerFiles(home, name).control, { type: "stop", isNow }); // so that no steerer restarts it
  }
  if (!isSupervised(home, worker)) return answer(worker);
  askToStop(home, worker, isNow);
  while (isSupervised(home, worker)) {
    if (signal.aborted)
      throw new AppError(
        "interrupted",
        `worker ${name} was asked to stop and is still busy with it; at once: worker stop ${name} --now`,
      );
    await clock.sleep(POLL_MS, signal);
  }
  return answer(getWorker(home, name));
};

/** By a file, else (a full disk takes none, and is when somebody wants to stop) by the signals that mean the same. */
const askToStop = (home: string, { name, supervisor }: ListedWorker, isNow: boolean): void => {
  try {
    sendControl(workerFiles(home, name).control, { type: "stop", isNow });
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    if (!signalProcess(supervisor, "SIGTERM")) return;
    if (isNow) signalProcess(supervisor, "SIGINT"); // the second one; another kind, as equal ones may merge
  }
};

/** Ends what the last sessions of a crashed worker left running; found by their marks, nothing else. */
export const endLeftovers = async (worker: ListedWorker, clock: Clock): Promise<void> => {
  for (const { mark } of worker.sessions.slice(-3)) await endMarked(mark, { clock });
};
