import { readFileIfThere } from "../../core/read-file.ts";
import { AppError, errorText } from "../../core/errors.ts";
import { nearestName } from "../../core/nearest-name.ts";
import { findLockHolder } from "../../core/lock-owner.ts";
import { judgeLife } from "../../core/process-identity.ts";
import { workerFiles } from "./worker-files.ts";
import { listNames, shortName } from "./worker-names.ts";
import { type ShownStatus, type WorkerState, type WorkerStatus, shownStatus } from "./worker-state.ts";

/** A worker as `worker list` shows it: its state, and what is true of it now. */
export type ListedWorker = Omit<WorkerState, "status"> & {
  /** what is true now */
  status: ShownStatus;
  /** what the state file says */
  recordedStatus: WorkerStatus;
  /** the same as `status`, for scripts written before it said so itself */
  shown: ShownStatus;
};

const isState = (value: unknown): value is WorkerState =>
  typeof value === "object" &&
  value !== null &&
  (value as WorkerState).version === 1 &&
  typeof (value as WorkerState).name === "string" &&
  typeof (value as WorkerState).status === "string" &&
  typeof (value as WorkerState).supervisor?.pid === "number" &&
  Array.isArray((value as WorkerState).sessions);

const readState = (path: string): string | undefined => {
  try {
    return readFileIfThere(path);
  } catch (error) {
    throw new AppError("unavailable", `cannot read ${path}: ${errorText(error)}`, { cause: error });
  }
};

/**
 * The state of a worker, or undefined when there is none.
 * @throws AppError `bad-data` for a file that is not one, `unavailable` for one that is closed to us
 */
export const findState = (home: string, name: string): WorkerState | undefined => {
  const path = workerFiles(home, name).state;
  const text = readState(path);
  if (text === undefined) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new AppError("bad-data", `${path} is not JSON; move it away to start the worker from scratch`, {
      cause: error,
    });
  }
  if (isState(value)) return value;
  throw new AppError(
    "bad-data",
    `${path} is not a worker state of version 1; move it away to start the worker from scratch`,
  );
};

/**
 * Whether the worker's supervisor is running. Of one on another host or in a container that shares the folder only
 * its lock can tell: its heart beats in it.
 */
export const isSupervised = (
  home: string,
  { name, supervisor }: Pick<WorkerState, "name" | "supervisor">,
): boolean => {
  const life = judgeLife(supervisor);
  if (life !== "unknown") return life === "alive";
  return findLockHolder(workerFiles(home, name).supervisorLock) !== undefined;
};

export const toListed = (home: string, state: WorkerState): ListedWorker => {
  const status = shownStatus(state, isSupervised(home, state));
  return { ...state, status, recordedStatus: state.status, shown: status };
};

/** Every worker, and the files that are none (with what is wrong with them). */
export const listWorkers = (
  home: string,
): { workers: ListedWorker[]; damaged: { name: string; problem: string }[] } => {
  const workers: ListedWorker[] = [];
  const damaged: { name: string; problem: string }[] = [];
  for (const name of listNames(home)) {
    try {
      const state = findState(home, name);
      if (state) workers.push(toListed(home, state));
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      damaged.push({ name, problem: error.message });
    }
  }
  return { workers, damaged };
};

/** @throws AppError `not-found` that names the nearest worker there is */
export const getWorker = (home: string, name: string): ListedWorker => {
  const state = findState(home, name);
  if (state) return toListed(home, state);
  throw noWorker(name, listNames(home));
};

/** That there is no such worker, with the nearest one there is, or all of them. */
export const noWorker = (given: string, names: readonly string[]): AppError => {
  const near = nearestName(given, names) ?? names.find((name) => nearestName(given, [shortName(name)]));
  const known =
    names.length > 0 ? `workers: ${names.join(", ")}` : "there are none yet; start one with: worker start";
  return new AppError(
    "not-found",
    `no worker ${JSON.stringify(given)}; ${near ? `did you mean ${near}?` : known}`,
  );
};
