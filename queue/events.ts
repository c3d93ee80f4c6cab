import type { Queries } from "../db/postgres/postgres.ts";
import type { JobEvent } from "./job.ts";

type NewEvent = { kind: string; token?: number; host?: string | undefined; text?: string | undefined };

/** Writes down what happened to a task, in the transaction in which it does. */
export const recordEvent = async (
  queries: Queries,
  task: number,
  { kind, token, host, text }: NewEvent,
): Promise<void> => {
  await queries.run("INSERT INTO queue_events (task, kind, token, host, text) VALUES ($1, $2, $3, $4, $5)", [
    task,
    kind,
    token ?? null,
    host ?? null,
    text ?? null,
  ]);
};

type Row = { at: number; kind: string; token: number | null; host: string | null; text: string | null };

/** Everything that happened to a task, the oldest first. */
export const listEvents = async (queries: Queries, task: number): Promise<JobEvent[]> =>
  (
    await queries.all<Row>(
      "SELECT (EXTRACT(EPOCH FROM at) * 1000)::bigint AS at, kind, token, host, text FROM queue_events WHERE task = $1 ORDER BY seq",
      [task],
    )
  ).map((row) => ({
    at: row.at,
    kind: row.kind,
    token: row.token ?? undefined,
    host: row.host ?? undefined,
    text: row.text ?? undefined,
  }));
