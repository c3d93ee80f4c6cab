import { AppError } from "../core/errors.ts";
import type { Postgres } from "../db/postgres/postgres.ts";
import { openEngine } from "./engine.ts";
import type { Queue } from "./queue.ts";

/** The queue of a database that is open and migrated. @throws AppError `bad-data` */
export const queueOn = async (db: Postgres): Promise<Queue> => {
  const row = await db.get<{ value: string }>("SELECT value FROM queue_settings WHERE name = 'id'");
  if (!row) throw new AppError("bad-data", `the queue of ${db.target} has lost its id`);
  return { db, engine: await openEngine(db), id: row.value, close: db.close };
};
