import { AppError } from "../core/errors.ts";
import type { Lease, RunNote } from "./job.ts";

/** What a note changes in a row: `$1` and `$2` are its task and token, `$3` to `$9` the note. */
export const NOTE = `run_name = coalesce($3, run_name), snapshot = coalesce($4, snapshot), handoff = coalesce($5, handoff),
  branch = coalesce($6, branch), head = coalesce($7, head), rescue = nullif(coalesce($8, rescue), ''),
  progress = coalesce($9, progress)`;

export const noteValues = ({ task, token }: Lease, note: RunNote) => [
  task,
  token,
  note.runName ?? null,
  note.snapshot ?? null,
  note.handoff ?? null,
  note.branch ?? null,
  note.head ?? null,
  note.rescue ?? null,
  note.progress ? JSON.stringify(note.progress) : null,
];

export const staleLease = ({ task, token }: Lease): AppError =>
  new AppError(
    "conflict",
    `the lease of task ${task} is lost: run ${token} is no longer the one that counts`,
  );
