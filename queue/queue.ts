import type { Postgres } from "../db/postgres/postgres.ts";
import { type Engine, openEngine } from "./engine.ts";
import { AppError } from "../core/errors.ts";

/** The queue on a shared database. */
export type Queue = {
  db: Postgres;
  engine: Engine;
  /** tells this queue from every other one: part of the names and marks of its workers */
  id: string;
  close: () => Promise<void>;
};

/** Told whenever pools should look: a task is ready, or is to be stopped. */
export const QUEUE_CHANNEL = "nightshift_queue";

/** The queue of a database that is open and migrated. @throws AppError `bad-data` */
export const queueOn = async (db: Postgres): Promise<Queue> => {
  const row = await db.get<{ value: string }>("SELECT value FROM queue_settings WHERE name = 'id'");
  if (!row) throw new AppError("bad-data", `the queue of ${db.target} has lost its id`);
  return { db, engine: await openEngine(db), id: row.value, close: db.close };
};
