import type { Database } from "../../db/database.ts";
import { EVENT_COLUMNS, eventValues } from "./store-rows.ts";
import type { PublishEvent } from "./store.ts";

export const addEvent = (db: Database, event: PublishEvent): void => {
  db.run(`INSERT INTO publish_events (${EVENT_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?)`, eventValues(event));
};
