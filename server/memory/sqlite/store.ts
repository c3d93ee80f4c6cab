import type { Database } from "../../../db/database.ts";
import { statementsOn } from "../../../db/statements.ts";
import { createSqliteVectors } from "../embeddings/sqlite-vectors.ts";
import { createSqliteLearnings } from "./learnings.ts";
import { nextRevision, STATE_COLUMNS, type StateRow, toState } from "../store/store-rows.ts";
import { createHandoffs, createSettings } from "../store/handoffs.ts";
import type { MemoryStores, StateStore } from "../store/store.ts";

/** The memory's stores on the embedded database. */
export const createSqliteStores = (db: Database, now: () => number): MemoryStores => ({
  learnings: createSqliteLearnings(db, now),
  states: createStates(db, now),
  handoffs: createHandoffs(statementsOn(db), now),
  settings: createSettings(statementsOn(db)),
  vectors: createSqliteVectors(db),
});

const createStates = (db: Database, now: () => number): StateStore => {
  const revisions = (project: string, limit: number) =>
    db
      .all<StateRow>(
        `SELECT ${STATE_COLUMNS} FROM memory_states AS present WHERE project = ? ORDER BY revision DESC LIMIT ?`,
        [project, limit],
      )
      .map(toState);
  return {
    find: async (project) => revisions(project, 1)[0],
    revisions: async (project, limit) => revisions(project, limit),
    change: (project, { writer, expected, apply }) =>
      db.write(() => {
        const [present] = revisions(project, 1);
        const revision = nextRevision(project, present, expected);
        const { status, state } = apply(present);
        db.run("INSERT INTO memory_states VALUES (?, ?, ?, ?, ?, ?)", [
          project,
          revision,
          status,
          JSON.stringify(state),
          writer,
          now(),
        ]);
        const [changed] = revisions(project, 1);
        if (!changed) throw new Error(`state of ${project} vanished inside its own transaction`);
        return changed;
      }),
  };
};
