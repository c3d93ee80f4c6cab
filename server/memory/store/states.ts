import { AppError } from "../../../core/errors.ts";
import type { Statements } from "../../../db/statements.ts";
import { all, run, type Steps } from "../../../db/steps.ts";
import type { ProjectState, StateStore, Write } from "./store.ts";

type StateRow = Omit<ProjectState, "state"> & { state: string };

/** A project was begun with its first revision. */
const REVISIONS = `SELECT project, revision, status, state, updated_by AS "updatedBy", at AS "updatedAt",
(SELECT at FROM memory_states AS first WHERE first.project = present.project ORDER BY revision LIMIT 1) AS "createdAt"
FROM memory_states AS present WHERE project = $1 ORDER BY revision DESC LIMIT $2`;

const toState = ({ state, ...row }: StateRow): ProjectState => ({
  ...row,
  state: JSON.parse(state) as ProjectState["state"],
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
