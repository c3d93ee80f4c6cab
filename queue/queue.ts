import type { Postgres } from "../db/postgres/postgres.ts";
import type { Engine } from "./engine.ts";

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
