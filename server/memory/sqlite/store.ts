import { randomUUID } from "node:crypto";
import type { Database } from "../../../db/database.ts";
import { createSqliteVectors } from "../embeddings/sqlite-vectors.ts";
import { createSqliteLearnings } from "./learnings.ts";
import {
  HANDOFF_COLUMNS,
  type HandoffRow,
  nextRevision,
  STATE_COLUMNS,
  type StateRow,
  toHandoff,
  toState,
} from "../store/store-rows.ts";
import type { HandoffStore, MemoryStores, SettingStore, StateStore } from "../store/store.ts";

/** The memory's stores on the embedded database. */
export const createSqliteStores = (db: Database, now: () => number): MemoryStores => ({
  learnings: createSqliteLearnings(db, now),
  states: createStates(db, now),
  handoffs: createHandoffs(db, now),
  settings: createSettings(db),
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

const createHandoffs = (db: Database, now: () => number): HandoffStore => {
  const find = (key: string) => {
    const row = db.get<HandoffRow>(
      `SELECT ${HANDOFF_COLUMNS} FROM memory_handoffs WHERE id = ? OR session_id = ? LIMIT 1`,
      [key, key],
    );
    return row && toHandoff(row);
  };
  return {
    find: async (key) => find(key),
    list: async (limit) =>
      db
        .all<HandoffRow>(
          `SELECT ${HANDOFF_COLUMNS} FROM memory_handoffs ORDER BY updated_at DESC, id LIMIT ?`,
          [limit],
        )
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
