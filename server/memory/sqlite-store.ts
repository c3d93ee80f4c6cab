import { randomUUID } from "node:crypto";
import { AppError } from "../../core/errors.ts";
import type { Database } from "../db/database.ts";
import { createSqliteVectors } from "./embeddings/sqlite-vectors.ts";
import { createSqliteLearnings } from "./sqlite-learnings.ts";
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

/** The memory's stores on the embedded database. */
export const createSqliteStores = (db: Database, now: () => number): MemoryStores => ({
  learnings: createSqliteLearnings(db, now),
  states: createStates(db, now),
  handoffs: createHandoffs(db, now),
  keys: createKeys(db),
  settings: createSettings(db),
  vectors: createSqliteVectors(db),
});

type StateRow = {
  project: string;
  revision: number;
  status: string;
  state: string;
  updated_by: string;
  at: number;
};

const SELECT_STATE =
  "SELECT project, revision, status, state, updated_by, at FROM memory_states WHERE project = ?";

const createStates = (db: Database, now: () => number): StateStore => {
  const firstAt = (project: string): number | undefined =>
    db.get<{ at: number }>("SELECT at FROM memory_states WHERE project = ? ORDER BY revision LIMIT 1", [
      project,
    ])?.at;
  const toState = (row: StateRow): ProjectState => ({
    project: row.project,
    revision: row.revision,
    status: row.status,
    state: JSON.parse(row.state) as Record<string, unknown>,
    updatedBy: row.updated_by,
    createdAt: firstAt(row.project) ?? row.at,
    updatedAt: row.at,
  });
  const find = (project: string): ProjectState | undefined => {
    const row = db.get<StateRow>(`${SELECT_STATE} ORDER BY revision DESC LIMIT 1`, [project]);
    return row && toState(row);
  };
  return {
    find: async (project) => find(project),
    revisions: async (project, limit) =>
      db.all<StateRow>(`${SELECT_STATE} ORDER BY revision DESC LIMIT ?`, [project, limit]).map(toState),
    change: (project, { writer, expected, apply }) =>
      db.write(() => {
        const present = find(project);
        const revision = present?.revision ?? 0;
        if (expected !== undefined && expected !== revision)
          throw new AppError(
            "precondition-failed",
            `The state of "${project}" is at revision ${revision} and not ${expected}; read it again and repeat the change`,
            { details: { revision } },
          );
        const { status, state } = apply(present);
        db.run("INSERT INTO memory_states VALUES (?, ?, ?, ?, ?, ?)", [
          project,
          revision + 1,
          status,
          JSON.stringify(state),
          writer,
          now(),
        ]);
        const changed = find(project);
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

const createHandoffs = (db: Database, now: () => number): HandoffStore => {
  const find = (key: string): Handoff | undefined => {
    const row = db.get<HandoffRow>("SELECT * FROM memory_handoffs WHERE id = ? OR session_id = ? LIMIT 1", [
      key,
      key,
    ]);
    return row && toHandoff(row);
  };
  return {
    find: async (key) => find(key),
    list: async (limit) =>
      db
        .all<HandoffRow>("SELECT * FROM memory_handoffs ORDER BY updated_at DESC, id LIMIT ?", [limit])
        .map(toHandoff),
    put: (sessionId, body, writer) =>
      db.write(() => {
        const at = now();
        db.run(
          `INSERT INTO memory_handoffs VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (session_id)
           DO UPDATE SET handoff = excluded.handoff, writer = excluded.writer, updated_at = excluded.updated_at`,
          [randomUUID(), sessionId, JSON.stringify(body), writer, at, at],
        );
        const stored = find(sessionId);
        if (!stored) throw new Error(`handoff of ${sessionId} vanished inside its own transaction`);
        return stored;
      }),
  };
};

type KeyRow = { id: string; writer: string; access: MemoryKey["access"]; scopes: string; created_at: number };

const toKey = (row: KeyRow): MemoryKey => ({
  id: row.id,
  writer: row.writer,
  access: row.access,
  scopes: JSON.parse(row.scopes) as string[],
  createdAt: row.created_at,
});

const createKeys = (db: Database): KeyStore => ({
  add: (key, hash) =>
    db.write(() => {
      if (db.get("SELECT 1 FROM memory_keys WHERE writer = ?", [key.writer]))
        throw new AppError(
          "conflict",
          `There is a key of the writer "${key.writer}" already; revoke it first`,
        );
      db.run("INSERT INTO memory_keys VALUES (?, ?, ?, ?, ?, ?)", [
        key.id,
        hash,
        key.writer,
        key.access,
        JSON.stringify(key.scopes),
        key.createdAt,
      ]);
    }),
  findByHash: async (hash) => {
    const row = db.get<KeyRow>("SELECT * FROM memory_keys WHERE hash = ?", [hash]);
    return row && toKey(row);
  },
  list: async () => db.all<KeyRow>("SELECT * FROM memory_keys ORDER BY created_at, id").map(toKey),
  remove: (id) => db.write(() => db.run("DELETE FROM memory_keys WHERE id = ?", [id]) > 0),
});

const createSettings = (db: Database): SettingStore => ({
  getOrMake: (name, make) =>
    db.write(() => {
      const known = db.get<{ value: string }>("SELECT value FROM memory_settings WHERE name = ?", [name]);
      if (known) return known.value;
      const value = make();
      db.run("INSERT INTO memory_settings VALUES (?, ?)", [name, value]);
      return value;
    }),
});
