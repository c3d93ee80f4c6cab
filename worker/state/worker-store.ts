import { readFileIfThere } from "../../core/read-file.ts";
import { AppError, errorText, systemCode } from "../../core/errors.ts";
import { fs } from "../../core/node-modules.ts";
import { nearestName } from "../../core/nearest-name.ts";
import { isAlive } from "../../core/process-identity.ts";
import { workerFiles } from "./worker-files.ts";
import { type ShownStatus, type WorkerState, shownStatus } from "./worker-state.ts";

/** A worker as `worker list` shows it: its state, and what is true of it now. */
export type ListedWorker = WorkerState & { shown: ShownStatus };

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
    throw new AppError("bad-data", `${path} is not JSON; move it away to start the worker anew`, {
      cause: error,
    });
  }
  if (isState(value)) return value;
  throw new AppError(
    "bad-data",
    `${path} is not a worker state of version 1; move it away to start the worker anew`,
  );
};

export const toListed = (state: WorkerState): ListedWorker => ({
  ...state,
  shown: shownStatus(state, isAlive(state.supervisor)),
});

const listNames = (home: string): string[] => {
  try {
    return fs()
      .readdirSync(home)
      .filter((file) => file.endsWith(".json") && !file.startsWith("."))
      .map((file) => file.slice(0, -".json".length))
      .toSorted();
  } catch (error) {
    if (systemCode(error) === "ENOENT") return [];
    throw new AppError("unavailable", `cannot read the workers' folder ${home}: ${String(error)}`, {
      cause: error,
    });
  }
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
      if (state) workers.push(toListed(state));
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
  if (state) return toListed(state);
  const names = listNames(home);
  const near = nearestName(name, names);
  const known =
    names.length > 0 ? `workers: ${names.join(", ")}` : "there are none yet; start one with: worker start";
  throw new AppError(
    "not-found",
    `no worker ${JSON.stringify(name)}; ${near ? `did you mean ${near}?` : known}`,
  );
};
