import type { Database } from "../db/database.ts";
import type { PublishEvent } from "./store.ts";

type EventRow = {
  at: number;
  site: string;
  deployment: string | null;
  action: PublishEvent["action"];
  by: string;
  detail: string | null;
};

export const addEvent = (db: Database, { at, site, deployment, action, by, detail }: PublishEvent): void => {
  db.run("INSERT INTO publish_events (at, site, deployment, action, by, detail) VALUES (?, ?, ?, ?, ?, ?)", [
    at,
    site,
    deployment ?? null,
    action,
    by,
    detail ?? null,
  ]);
};

export const selectEvents = (db: Database, site: string, limit: number): PublishEvent[] =>
  db
    .all<EventRow>(
      "SELECT at, site, deployment, action, by, detail FROM publish_events WHERE site = ? ORDER BY number DESC LIMIT ?",
      [site, limit],
    )
    .map(({ deployment, detail, ...event }) => ({
      ...event,
      deployment: deployment ?? undefined,
      detail: detail ?? undefined,
    }));
