import { writeFileDurably } from "../../core/durable-file.ts";
import { workerFiles } from "./worker-files.ts";
import type { WorkerState } from "./worker-state.ts";

/** Writes the state whole or not at all. */
export const saveState = (home: string, state: WorkerState): void => {
  writeFileDurably(workerFiles(home, state.name).state, `${JSON.stringify(state, undefined, 2)}\n`, {
    mode: 0o600,
  });
};
