import type { Clock } from "../../core/clock.ts";
import { AppError } from "../../core/errors.ts";
import { spanText } from "../../core/people-time.ts";
import { endMarked, signalProcess } from "../../core/process-tree.ts";
import { sendControl } from "../state/control.ts";
import { workerFiles } from "../state/worker-files.ts";
import type { WorkerState } from "../state/worker-state.ts";
import { type ListedWorker, getWorker, isSupervised } from "../state/worker-store.ts";

export type Stopped = { name: string; before: string; after: string; reason: string | undefined };

const POLL_MS = 50;
const TELL_EVERY_MS = 10_000;
const FIRST_WORD_MS = 2_000;

type StopPorts = {
  clock: Clock;
  home: string;
  signal: AbortSignal;
  /** told now and then what is waited for */
  onWait?: (words: string) => void;
};

/**
 * Stops a worker and waits until it has stopped: gently (the agent gives its handoff first) or at once. A
 * worker whose supervisor is dead has its leftover processes ended, and nothing is asked of anybody.
 * @throws AppError `interrupted` when `signal` aborts the waiting; the request stands
 */
export const stopWorker = async (
  { clock, home, signal, onWait }: StopPorts,
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
  let toldMs = clock.elapsed() - TELL_EVERY_MS + FIRST_WORD_MS;
  while (isSupervised(home, worker)) {
    if (onWait && clock.elapsed() - toldMs >= TELL_EVERY_MS) {
      toldMs = clock.elapsed();
      onWait(describeWait(getWorker(home, name), { isNow, nowMs: clock.now() }));
    }
    if (signal.aborted)
      throw new AppError(
        "interrupted",
        `worker ${name} was asked to stop and is still busy with it; at once: worker stop ${name} --now`,
      );
    await clock.sleep(POLL_MS, signal);
  }
  return answer(getWorker(home, name));
};

/** What a worker that is to stop is still busy with, and how long that may take at most. */
export const describeWait = (
  { name, sessions, limits }: Pick<WorkerState, "name" | "sessions" | "limits">,
  { isNow, nowMs }: { isNow: boolean; nowMs: number },
): string => {
  const doing = sessions.at(-1)?.doing;
  const busy = doing
    ? `${doing.what} (for ${spanText(Math.max(0, nowMs - Date.parse(doing.since)))})`
    : "its agent";
  return isNow
    ? `waiting for ${name}: ending ${busy}`
    : `waiting for ${name}: ${busy}; ended ${limits.handoffMinutes} min after the request at the latest, at once with: worker stop ${name} --now`;
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
