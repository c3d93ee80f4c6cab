import { AppError } from "../../../core/errors.ts";
import type { Statements } from "../../../db/statements.ts";
import { all, run, type Steps } from "../../../db/steps.ts";
import type { ProjectState, StateStore, Write } from "./store.ts";

type StateRow = {
  project: string;
  revision: number;
  status: string;
  state: string;
  updated_by: string;
  at: number;
  first_at: number;
};

/** `first_at` is when the project's first revision was made. */
const REVISIONS = `SELECT project, revision, status, state, updated_by, at,
(SELECT at FROM memory_states AS first WHERE first.project = present.project ORDER BY revision LIMIT 1) AS first_at
FROM memory_states AS present WHERE project = $1 ORDER BY revision DESC LIMIT $2`;

const toState = (row: StateRow): ProjectState => ({
  project: row.project,
  revision: row.revision,
  status: row.status,
  state: JSON.parse(row.state) as Record<string, unknown>,
  updatedBy: row.updated_by,
  createdAt: row.first_at,
  updatedAt: row.at,
});

/** Project states on either database. */
export const createStates = (db: Statements, write: Write, now: () => number): StateStore => {
  const revisions = async (project: string, limit: number) =>
    (await db.all<StateRow>(REVISIONS, [project, limit])).map(toState);
  return {
    find: async (project) => (await revisions(project, 1))[0],
    revisions,
    change: (project, by) => write(() => changeState(project, by, now())),
  };
};

function* changeState(
  project: string,
  { writer, expected, apply }: Parameters<StateStore["change"]>[1],
  at: number,
): Steps<ProjectState> {
  const [present] = (yield* all<StateRow>(REVISIONS, [project, 1])).map(toState);
  const before = present?.revision ?? 0;
  if (expected !== undefined && expected !== before)
    throw new AppError(
      "precondition-failed",
      `The state of "${project}" is at revision ${before} and not ${expected}; read it again and repeat the change`,
      { details: { revision: before } },
    );
  const revision = before + 1;
  const { status, state } = apply(present);
  yield* run(
    "INSERT INTO memory_states (project, revision, status, state, updated_by, at) VALUES ($1, $2, $3, $4, $5, $6)",
    [project, revision, status, JSON.stringify(state), writer, at],
  );
  const createdAt = present?.createdAt ?? at;
  return { project, revision, status, state, updatedBy: writer, createdAt, updatedAt: at };
}
