import { rmSync } from "node:fs";
import { writeFileDurably } from "../core/durable-file.ts";
import { readFileIfThere } from "../core/read-file.ts";
import { handoffFile, workerFiles } from "../worker/state/worker-files.ts";
import type { WorkerState } from "../worker/state/worker-state.ts";
import { saveState } from "../worker/state/save-state.ts";
import { runMark } from "../worker/state/lease.ts";
import { findState } from "../worker/state/worker-store.ts";
import type { Claim } from "../queue/job.ts";

const findLocal = (home: string, name: string): WorkerState | undefined => {
  try {
    return findState(home, name);
  } catch {
    return undefined; // a file that nobody can read is not gone on with
  }
};

/**
 * The state that this machine's own last run of the task left, whatever its token was: runs that were given back
 * before they began left nothing. Another host's counts when it has reported something newer, and none when
 * somebody asked for a new beginning.
 */
export const findOwnRun = (home: string, name: string, asked: OwnRunQuestion): WorkerState | undefined => {
  const local = findLocal(home, name);
  return local && isOwnRun(local, asked) ? local : undefined;
};

export type OwnRunQuestion = { queueId: string; claim: Pick<Claim, "lease" | "snapshot" | "freshFrom"> };

/** Whether a state of this machine is what a claim goes on from. */
export const isOwnRun = (
  { lease }: Pick<WorkerState, "lease">,
  { queueId, claim }: OwnRunQuestion,
): boolean => {
  if (!lease || lease.task !== claim.lease.task || lease.mark !== runMark(queueId, lease)) return false;
  const reported = claim.snapshot === undefined ? undefined : (JSON.parse(claim.snapshot) as WorkerState);
  const isNewest = (reported?.lease?.token ?? 0) <= lease.token;
  return isNewest && lease.token >= claim.freshFrom;
};

/**
 * Puts what another host reported of a task where a supervisor here goes on from: its state with all
 * sessions, and its last handoff. Without such a report what lies here of other runs is put away.
 * @returns what there is to go on from
 */
export const takeOver = (home: string, name: string, { snapshot, task }: Claim): WorkerState | undefined => {
  const files = workerFiles(home, name);
  if (snapshot === undefined) {
    rmSync(files.state, { force: true });
    return undefined;
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
  const taken = { ...state, name, sessions };
  delete taken.workTree; // the other host's, too: here it would pass for a repository that is gone
  saveState(home, taken);
  return taken;
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
