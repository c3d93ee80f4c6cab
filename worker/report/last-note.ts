import { readFileIfThere } from "../../core/read-file.ts";
import type { WorkerState } from "../state/worker-state.ts";

const NOTE_HEADING = "\n## Note";

/** The agent's words in the newest handoff that a worker has; undefined where there is none. */
export const readLastNote = ({ sessions }: Pick<WorkerState, "sessions">): string | undefined => {
  const file = sessions.findLast((session) => session.handoffFile !== undefined)?.handoffFile;
  const text = file === undefined ? undefined : readFileIfThere(file);
  if (text === undefined) return undefined;
  const start = text.indexOf(NOTE_HEADING);
  const note = start < 0 ? "" : text.slice(text.indexOf("\n", start + 1)).trim();
  return note === "" ? undefined : note;
};
