import { randomUUID } from "node:crypto";
import { AppError } from "../../core/errors.ts";
import { isUniqueViolation } from "../db/postgres/failure.ts";
import type { Postgres, Queries } from "../db/postgres/postgres.ts";
import { createPostgresVectors } from "./embeddings/postgres-vectors.ts";
import { rebuildIfOutdated } from "./postgres-index.ts";
import { createPostgresLearnings } from "./postgres-learnings.ts";
import type {
  Handoff,
  HandoffStore,
  KeyStore,
  MemoryKey,
  MemoryStores,
  ProjectState,
  SettingStore,
  StateStore,
} from "./store.ts";

/** The memory's stores on a PostgreSQL that any number of servers share. */
export const createPostgresStores = async (db: Postgres, now: () => number): Promise<MemoryStores> => {
  await rebuildIfOutdated(db);
  return {
    learnings: createPostgresLearnings(db, now),
    states: createStates(db, now),
    handoffs: createHandoffs(db, now),
    keys: createKeys(db),
    settings: createSettings(db),
    vectors: createPostgresVectors(db),
  };
};

type StateRow = {
  project: string;
  revision: number;
  status: string;
  state: string;
  updated_by: string;
  at: number;
  first_at: number;
};

const toState = (row: StateRow): ProjectState => ({
  project: row.project,
  revision: row.revision,
  status: row.status,
  state: JSON.parse(row.state) as Record<string, unknown>,
  updatedBy: row.updated_by,
  createdAt: row.first_at,
  updatedAt: row.at,
});

const SELECT_STATES = `SELECT project, revision, status, state, updated_by, at,
(SELECT at FROM memory_states AS first WHERE first.project = $1 ORDER BY revision LIMIT 1) AS first_at
FROM memory_states WHERE project = $1 ORDER BY revision DESC LIMIT $2`;

const createStates = (db: Postgres, now: () => number): StateStore => {
  const revisions = async (queries: Queries, project: string, limit: number): Promise<ProjectState[]> =>
    (await queries.all<StateRow>(SELECT_STATES, [project, limit])).map(toState);
  return {
    find: async (project) => (await revisions(db, project, 1))[0],
    revisions: (project, limit) => revisions(db, project, limit),
    change: (project, { writer, expected, apply }) =>
      db.transaction(async (tx) => {
        // One at a time for each project, over all servers; there may be no row yet that could be locked.
        await tx.run("SELECT pg_advisory_xact_lock(hashtextextended('memory_states ' || $1, 0))", [project]);
        const [present] = await revisions(tx, project, 1);
        const revision = present?.revision ?? 0;
        if (expected !== undefined && expected !== revision)
          throw new AppError(
            "precondition-failed",
            `The state of "${project}" is at revision ${revision} and not ${expected}; read it again and repeat the change`,
            { details: { revision } },
          );
        const { status, state } = apply(present);
        await tx.run(
          "INSERT INTO memory_states (project, revision, status, state, updated_by, at) VALUES ($1, $2, $3, $4, $5, $6)",
          [project, revision + 1, status, JSON.stringify(state), writer, now()],
        );
        const [changed] = await revisions(tx, project, 1);
        if (!changed) throw new Error(`state of ${project} vanished inside its own transaction`);
        return changed;
      }),
  };
};

type HandoffRow = { id: string; session_id: string; handoff: string; created_at: number; updated_at: number };

const toHandoff = (row: HandoffRow): Handoff => ({
  id: row.id,
  sessionId: row.session_id,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
  body: JSON.parse(row.handoff) as Record<string, unknown>,
});

const HANDOFF = "id, session_id, handoff, created_at, updated_at";

const createHandoffs = (db: Postgres, now: () => number): HandoffStore => ({
  find: async (key) => {
    const row = await db.get<HandoffRow>(
      `SELECT ${HANDOFF} FROM memory_handoffs WHERE id = $1 OR session_id = $1 LIMIT 1`,
      [key],
    );
    return row && toHandoff(row);
  },
  list: async (limit) =>
    (
      await db.all<HandoffRow>(
        `SELECT ${HANDOFF} FROM memory_handoffs ORDER BY updated_at DESC, id LIMIT $1`,
        [limit],
      )
    ).map(toHandoff),
  put: async (sessionId, body, writer) => {
    const at = now();
    const row = await db.get<HandoffRow>(
      `INSERT INTO memory_handoffs (id, session_id, handoff, writer, created_at, updated_at)
       VALUES ($1, $2, $3, $4, $5, $5) ON CONFLICT (session_id) DO UPDATE SET handoff = excluded.handoff,
       writer = excluded.writer, updated_at = excluded.updated_at RETURNING ${HANDOFF}`,
      [randomUUID(), sessionId, JSON.stringify(body), writer, at],
    );
    if (!row) throw new Error(`handoff of ${sessionId} was not stored`);
    return toHandoff(row);
  },
});

type KeyRow = { id: string; writer: string; access: MemoryKey["access"]; scopes: string; created_at: number };

const toKey = (row: KeyRow): MemoryKey => ({
  id: row.id,
  writer: row.writer,
  access: row.access,
  scopes: JSON.parse(row.scopes) as string[],
  createdAt: row.created_at,
});

const KEY = "id, writer, access, scopes, created_at";

const createKeys = (db: Postgres): KeyStore => ({
  add: async (key, hash) => {
    try {
      await db.run(
        "INSERT INTO memory_keys (id, hash, writer, access, scopes, created_at) VALUES ($1, $2, $3, $4, $5, $6)",
        [key.id, hash, key.writer, key.access, JSON.stringify(key.scopes), key.createdAt],
      );
    } catch (error) {
      if (!isUniqueViolation(error, "memory_keys_writer_key")) throw error;
      throw new AppError(
        "conflict",
        `There is a key of the writer "${key.writer}" already; revoke it first`,
        { cause: error },
      );
    }
  },
  findByHash: async (hash) => {
    const row = await db.get<KeyRow>(`SELECT ${KEY} FROM memory_keys WHERE hash = $1`, [hash]);
    return row && toKey(row);
  },
  list: async () =>
    (await db.all<KeyRow>(`SELECT ${KEY} FROM memory_keys ORDER BY created_at, id`)).map(toKey),
  remove: async (id) => (await db.run("DELETE FROM memory_keys WHERE id = $1", [id])) > 0,
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
