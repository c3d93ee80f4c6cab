import { redactSecrets } from "../../../core/redaction.ts";
import type { Job, JobEvent, JobState } from "../../../queue/job.ts";
import { instructionTitle } from "../../../worker/state/instruction-title.ts";
import type { Style } from "../../command/style.ts";

const iso = (time: number | undefined): string | undefined =>
  time === undefined ? undefined : new Date(time).toISOString();

/** A task as `--json` gives it. */
export const taskView = (task: Job) => ({
  ...task,
  addedAt: iso(task.addedAt),
  startedAt: iso(task.startedAt),
  endedAt: iso(task.endedAt),
});

export const eventView = (event: JobEvent) => ({ ...event, at: iso(event.at) });

/** A state in its colour. */
export const stateText = (state: JobState, style: Style): string => {
  if (state === "complete") return style.green(state);
  if (state === "running" || state === "publishing") return style.cyan(state);
  return state === "failed" || state === "blocked" ? style.red(state) : style.yellow(state);
};

/** Where a task works: its repository or folder, and the only host for it. */
export const placeText = ({ repo, dir, host }: Job): string =>
  redactSecrets(repo ?? `${host === undefined ? "" : `${host}:`}${dir ?? "?"}`);

/** What is worth knowing of it now: why it waits or ended, else what it is. */
export const noteText = ({ reason, task }: Job): string =>
  reason === undefined ? instructionTitle(task, 200) : instructionTitle(reason, 200);

export const costOf = ({ progress }: Job): string =>
  progress && progress.costUsd > 0 ? `$${progress.costUsd.toFixed(2)}` : "-";

export const sessionsOf = ({ progress }: Job): string =>
  progress ? `${progress.session}/${progress.max}` : "-";
