import { rmSync } from "node:fs";
import { writeFileDurably } from "../../core/durable-file.ts";
import { readFileIfThere } from "../../core/read-file.ts";
import { handoffFile, workerFiles } from "../../worker/state/worker-files.ts";
import type { WorkerState } from "../../worker/state/worker-state.ts";
import { saveState } from "../../worker/state/save-state.ts";
import { findState } from "../../worker/state/worker-store.ts";
import type { Claim } from "../task.ts";

const findLocal = (home: string, name: string): WorkerState | undefined => {
  try {
    return findState(home, name);
  } catch {
    return undefined; // a file that nobody can read is not gone on with
  }
};

/** The state that this machine's own last run of the task left, if nobody else has run it since. */
export const findOwnRun = (
  home: string,
  name: string,
  claim: Claim,
  markBefore: string,
): WorkerState | undefined => {
  const local = findLocal(home, name);
  return claim.previousToken > 0 && local?.lease?.mark === markBefore ? local : undefined;
};

/**
 * Puts what another host reported of a task where a supervisor here goes on from: its state with all
 * sessions, and its last handoff. Without such a report what lies here of other runs is put away.
 * @returns whether there is something to go on from
 */
export const takeOver = (home: string, name: string, { snapshot, task }: Claim): boolean => {
  const files = workerFiles(home, name);
  if (snapshot === undefined) {
    rmSync(files.state, { force: true });
    return false;
  }
  const state = JSON.parse(snapshot) as WorkerState;
  const last = state.sessions.findLast((record) => record.handoffFile !== undefined);
  const sessions = state.sessions.map((record) => {
    const carried = { ...record };
    // Paths of the other host; only the newest handoff came along.
    delete carried.handoffFile;
    if (record.number === last?.number && task.handoff !== undefined)
      carried.handoffFile = handoffFile(files, record.number);
    return carried;
  });
  if (last && task.handoff !== undefined)
    writeFileDurably(handoffFile(files, last.number), task.handoff, { mode: 0o600 });
  saveState(home, { ...state, name, sessions });
  return true;
};

/** What a run leaves for another host: its state, and the text of its newest handoff. */
export const packState = (state: WorkerState): { snapshot: string; handoff?: string } => {
  const path = state.sessions.findLast((record) => record.handoffFile !== undefined)?.handoffFile;
  const handoff = path === undefined ? undefined : readFileIfThere(path);
  // PostgreSQL takes no NUL in a text.
  const clean = (text: string) => text.replaceAll("\u0000", "\uFFFD");
  return {
    snapshot: clean(JSON.stringify(state)).replaceAll("\\u0000", "\\ufffd"),
    ...(handoff === undefined ? {} : { handoff: clean(handoff) }),
  };
};
