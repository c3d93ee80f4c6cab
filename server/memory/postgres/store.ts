import { randomUUID } from "node:crypto";
import type { Postgres, Queries } from "../../../db/postgres/postgres.ts";
import { createPostgresVectors } from "../embeddings/postgres-vectors.ts";
import { rebuildIfOutdated } from "./index.ts";
import { createPostgresLearnings } from "./learnings.ts";
import {
  HANDOFF_COLUMNS,
  type HandoffRow,
  nextRevision,
  STATE_COLUMNS,
  type StateRow,
  toHandoff,
  toState,
} from "../store/store-rows.ts";
import type { HandoffStore, MemoryStores, ProjectState, SettingStore, StateStore } from "../store/store.ts";

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

const createHandoffs = (db: Postgres, now: () => number): HandoffStore => ({
  find: async (key) => {
    const row = await db.get<HandoffRow>(
      `SELECT ${HANDOFF_COLUMNS} FROM memory_handoffs WHERE id = $1 OR session_id = $1 LIMIT 1`,
      [key],
    );
    return row && toHandoff(row);
  },
  list: async (limit) =>
    (
      await db.all<HandoffRow>(
        `SELECT ${HANDOFF_COLUMNS} FROM memory_handoffs ORDER BY updated_at DESC, id LIMIT $1`,
        [limit],
      )
    ).map(toHandoff),
  put: async (sessionId, body, writer) => {
    const at = now();
    const row = await db.get<HandoffRow>(
      `INSERT INTO memory_handoffs (id, session_id, handoff, writer, created_at, updated_at)
       VALUES ($1, $2, $3, $4, $5, $5) ON CONFLICT (session_id) DO UPDATE SET handoff = excluded.handoff,
       writer = excluded.writer, updated_at = excluded.updated_at RETURNING ${HANDOFF_COLUMNS}`,
      [randomUUID(), sessionId, JSON.stringify(body), writer, at],
    );
    if (!row) throw new Error(`handoff of ${sessionId} was not stored`);
    return toHandoff(row);
  },
});

const createSettings = (db: Postgres): SettingStore => ({
  getOrMake: async (name, make) => {
    // Another server may make one at the same moment: the first one in the table is the one for all.
    await db.run("INSERT INTO memory_settings (name, value) VALUES ($1, $2) ON CONFLICT DO NOTHING", [
      name,
      make(),
    ]);
    const known = await db.get<{ value: string }>("SELECT value FROM memory_settings WHERE name = $1", [
      name,
    ]);
    if (!known) throw new Error(`setting ${name} was not stored`);
    return known.value;
  },
});
