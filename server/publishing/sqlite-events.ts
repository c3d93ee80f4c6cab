import type { Database } from "../../db/database.ts";
import { EVENT_COLUMNS, type EventRow, eventValues, toEvent } from "./store-rows.ts";
import type { PublishEvent } from "./store.ts";

export const addEvent = (db: Database, event: PublishEvent): void => {
  db.run(`INSERT INTO publish_events (${EVENT_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?)`, eventValues(event));
};

export const selectEvents = (db: Database, site: string, limit: number): PublishEvent[] =>
  db
    .all<EventRow>(
      `SELECT ${EVENT_COLUMNS} FROM publish_events WHERE site = ? ORDER BY number DESC LIMIT ?`,
      [site, limit],
    )
    .map(toEvent);
