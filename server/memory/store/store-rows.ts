import { AppError } from "../../../core/errors.ts";
import type { ProjectState } from "./store.ts";

/** A revision as both databases give it; `first_at` is when the project's first one was made. */
export type StateRow = {
  project: string;
  revision: number;
  status: string;
  state: string;
  updated_by: string;
  at: number;
  first_at: number;
};

export const STATE_COLUMNS = `project, revision, status, state, updated_by, at,
(SELECT at FROM memory_states AS first WHERE first.project = present.project ORDER BY revision LIMIT 1) AS first_at`;

export const toState = (row: StateRow): ProjectState => ({
  project: row.project,
  revision: row.revision,
  status: row.status,
  state: JSON.parse(row.state) as Record<string, unknown>,
  updatedBy: row.updated_by,
  createdAt: row.first_at,
  updatedAt: row.at,
});

/**
 * The number of the revision that follows the present one.
 * @throws AppError `precondition-failed` when another one than the present was expected
 */
export const nextRevision = (
  project: string,
  present: ProjectState | undefined,
  expected: number | undefined,
): number => {
  const revision = present?.revision ?? 0;
  if (expected !== undefined && expected !== revision)
    throw new AppError(
      "precondition-failed",
      `The state of "${project}" is at revision ${revision} and not ${expected}; read it again and repeat the change`,
      { details: { revision } },
    );
  return revision + 1;
};
