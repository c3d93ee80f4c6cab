import { writeFileDurably } from "../../core/durable-file.ts";
import { withoutNamedSecrets } from "../../core/redaction.ts";
import { workerFiles } from "./worker-files.ts";
import type { WorkerState } from "./worker-state.ts";

/** By these a worker is found again, whatever value somebody calls a secret. */
const FOUND_AGAIN_BY = ["name", "dir", "configRoot", "agent", "mark", "handoffFile", "receipt"];

/** Writes the state whole or not at all. */
export const saveState = (home: string, state: WorkerState): void => {
  const text = JSON.stringify(withoutNamedSecrets(state, FOUND_AGAIN_BY), undefined, 2);
  writeFileDurably(workerFiles(home, state.name).state, `${text}\n`, { mode: 0o600 });
};
