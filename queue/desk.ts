import type { Postgres } from "../db/postgres/postgres.ts";
import { cancelJob, retryJob } from "./change-job.ts";
import { listEvents } from "./events.ts";
import { queueOn } from "./queue.ts";
import { countStates, getRow, listPools, listRows, toJob } from "./rows.ts";
import type { Job, JobEvent } from "./job.ts";

export type QueueOverview = {
  /** those that run and wait first, then the ended ones, the newest first */
  tasks: Job[];
  /** of all tasks, by state */
  counts: Record<string, number>;
  /** that hold tasks now */
  pools: { pool: string; host: string; tasks: number }[];
};

/** What the server's page does with the queue. Changes fail as `cancelJob` and `retryJob` do. */
export type QueueDesk = {
  overview: (asked: { states: readonly string[]; limit: number }) => Promise<QueueOverview>;
  /** @throws AppError `not-found` */
  task: (id: number) => Promise<{ task: Job; events: JobEvent[] }>;
  cancel: (id: number, how: { isNow: boolean }) => Promise<Job>;
  retry: (id: number, how: { isFresh: boolean }) => Promise<Job>;
};

/** The desk on a database that somebody else opened, and closes. */
export const openDesk = async (db: Postgres): Promise<QueueDesk> => {
  const queue = await queueOn(db);
  return {
    overview: async (asked) => {
      const [rows, counts, pools] = await Promise.all([listRows(db, asked), countStates(db), listPools(db)]);
      return { tasks: rows.map(toJob), counts, pools };
    },
    task: async (id) => ({ task: toJob(await getRow(db, id)), events: await listEvents(db, id) }),
    cancel: (id, how) => cancelJob(queue, id, how),
    retry: (id, how) => retryJob(queue, id, how),
  };
};
