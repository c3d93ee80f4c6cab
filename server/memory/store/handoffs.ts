import { randomUUID } from "node:crypto";
import type { Statements } from "../../../db/statements.ts";
import type { Handoff, HandoffStore, SettingStore } from "./store.ts";

const HANDOFF_COLUMNS =
  'id, session_id AS "sessionId", handoff AS body, created_at AS "createdAt", updated_at AS "updatedAt"';

type HandoffRow = Omit<Handoff, "body"> & { body: string };

const toHandoff = (row: HandoffRow): Handoff => ({
  ...row,
  body: JSON.parse(row.body) as Handoff["body"],
});

/** Handoffs on either database. */
export const createHandoffs = (db: Statements, now: () => number): HandoffStore => ({
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
    await db.run(
      `INSERT INTO memory_handoffs (id, session_id, handoff, writer, created_at, updated_at)
       VALUES ($1, $2, $3, $4, $5, $5) ON CONFLICT (session_id) DO UPDATE SET handoff = excluded.handoff,
       writer = excluded.writer, updated_at = excluded.updated_at`,
      [randomUUID(), sessionId, JSON.stringify(body), writer, at],
    );
    const row = await db.get<HandoffRow>(
      `SELECT ${HANDOFF_COLUMNS} FROM memory_handoffs WHERE session_id = $1`,
      [sessionId],
    );
    if (!row) throw new Error(`handoff of ${sessionId} was not stored`);
    return toHandoff(row);
  },
});

/** Settings on either database. */
export const createSettings = (db: Statements): SettingStore => ({
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
