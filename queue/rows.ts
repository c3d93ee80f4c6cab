import { AppError } from "../core/errors.ts";
import { named } from "../db/rows.ts";
import type { Queries } from "../db/postgres/postgres.ts";
import type { Claim, Job, JobProgress, JobState } from "./job.ts";

const milliseconds = (column: string): string =>
  `(EXTRACT(EPOCH FROM ${column}) * 1000)::bigint AS ${column}`;

const COLUMNS = `id, worker, task, repo, dir, host, is_in_place, directory, priority, state, reason, verdict,
  delivery, phase, outcome, attempts, max_attempts, token, pool, run_host, run_name, progress, snapshot, handoff, branch, head,
  rescue, cancel, fresh_from, retried_from, ${["added_at", "started_at", "ended_at"].map(milliseconds).join(", ")},
  (SELECT coalesce(array_to_string(array_agg(needs ORDER BY needs), ','), '') FROM queue_needs WHERE task = id) AS after`;

export type JobRow = {
  id: number;
  token: number;
  state: JobState;
  reason: string | null;
  host: string | null;
  run_host: string | null;
  cancel: "gently" | "now" | null;
  directory: string | null;
  delivery: string | null;
  outcome: string | null;
  snapshot: string | null;
  progress: string | null;
  fresh_from: number;
  retried_from: number;
  after: string;
};

export const toJob = ({
  cancel: _cancel,
  directory: _directory,
  delivery: _delivery,
  outcome: _outcome,
  snapshot: _snapshot,
  fresh_from: _freshFrom,
  retried_from: _retriedFrom,
  ...row
}: JobRow): Job => ({
  ...named<Job>(row),
  progress: row.progress === null ? undefined : (JSON.parse(row.progress) as JobProgress),
  after: row.after === "" ? [] : row.after.split(",").map(Number),
});

export const toClaim = (row: JobRow): Claim => ({
  lease: { task: row.id, token: row.token },
  task: toJob(row),
  snapshot: row.snapshot ?? undefined,
  freshFrom: row.fresh_from,
  retriedFrom: row.retried_from,
});

export const findRow = (queries: Queries, id: number): Promise<JobRow | undefined> =>
  queries.get<JobRow>(`SELECT ${COLUMNS} FROM queue_tasks WHERE id = $1`, [id]);

/** @throws AppError `not-found` */
export const getRow = async (queries: Queries, id: number): Promise<JobRow> => {
  const row = await findRow(queries, id);
  if (row) return row;
  throw new AppError("not-found", `the queue has no task ${id}; see: nightshift queue list`);
};

/** Running and waiting ones first, then the ended ones, the newest first. */
export const listRows = (
  queries: Queries,
  { states, limit }: { states: readonly string[]; limit: number },
): Promise<JobRow[]> =>
  queries.all<JobRow>(
    `SELECT ${COLUMNS} FROM queue_tasks WHERE state = ANY($1)
     ORDER BY array_position(ARRAY['running','publishing','ready','waiting','blocked'], state) NULLS LAST,
       queue_tasks.ended_at DESC NULLS LAST, priority DESC, id LIMIT $2`,
    [states, limit],
  );

/** How many tasks are in each state. */
export const countStates = async (queries: Queries): Promise<Record<string, number>> =>
  Object.fromEntries(
    (
      await queries.all<{ state: string; count: number }>(
        "SELECT state, count(*) AS count FROM queue_tasks GROUP BY state ORDER BY state",
      )
    ).map(({ state, count }) => [state, count]),
  );

/** The pools that hold tasks now, and how many: one without work leaves no trace in the database. */
export const listPools = (queries: Queries): Promise<{ pool: string; host: string; tasks: number }[]> =>
  queries.all(
    `SELECT pool, run_host AS host, count(*)::int AS tasks FROM queue_tasks
     WHERE state IN ('running', 'publishing') AND pool IS NOT NULL AND run_host IS NOT NULL
     GROUP BY pool, run_host ORDER BY run_host, pool`,
  );
