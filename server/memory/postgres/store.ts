import type { Postgres, Queries } from "../../../db/postgres/postgres.ts";
import { createPostgresVectors } from "../embeddings/postgres-vectors.ts";
import { rebuildIfOutdated } from "./index.ts";
import { createPostgresLearnings } from "./learnings.ts";
import { nextRevision, STATE_COLUMNS, type StateRow, toState } from "../store/store-rows.ts";
import { createHandoffs, createSettings } from "../store/handoffs.ts";
import type { MemoryStores, ProjectState, StateStore } from "../store/store.ts";

/** The memory's stores on a PostgreSQL that any number of servers share. */
export const createPostgresStores = async (db: Postgres, now: () => number): Promise<MemoryStores> => {
  await rebuildIfOutdated(db);
  return {
    learnings: createPostgresLearnings(db, now),
    states: createStates(db, now),
    handoffs: createHandoffs(db, now),
    settings: createSettings(db),
    vectors: createPostgresVectors(db),
  };
};

const createStates = (db: Postgres, now: () => number): StateStore => {
  const revisions = async (queries: Queries, project: string, limit: number): Promise<ProjectState[]> =>
    (
      await queries.all<StateRow>(
        `SELECT ${STATE_COLUMNS} FROM memory_states AS present WHERE project = $1 ORDER BY revision DESC LIMIT $2`,
        [project, limit],
      )
    ).map(toState);
  return {
    find: async (project) => (await revisions(db, project, 1))[0],
    revisions: (project, limit) => revisions(db, project, limit),
    change: (project, { writer, expected, apply }) =>
      db.transaction(async (tx) => {
        // One at a time for each project, over all servers; there may be no row yet that could be locked.
        await tx.run("SELECT pg_advisory_xact_lock(hashtextextended('memory_states ' || $1, 0))", [project]);
        const [present] = await revisions(tx, project, 1);
        const revision = nextRevision(project, present, expected);
        const { status, state } = apply(present);
        await tx.run(
          "INSERT INTO memory_states (project, revision, status, state, updated_by, at) VALUES ($1, $2, $3, $4, $5, $6)",
          [project, revision, status, JSON.stringify(state), writer, now()],
        );
        const [changed] = await revisions(tx, project, 1);
        if (!changed) throw new Error(`state of ${project} vanished inside its own transaction`);
        return changed;
      }),
  };
};
