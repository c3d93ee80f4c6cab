import type { Postgres } from "../db/postgres/postgres.ts";
import { cancelTask, retryTask } from "./change-task.ts";
import { listEvents } from "./events.ts";
import { queueOn } from "./queue-on.ts";
import { countStates, getRow, listPools, listRows, toTask } from "./rows.ts";
import type { QueueTask, TaskEvent } from "./task.ts";

export type QueueOverview = {
  /** those that run and wait first, then the ended ones, the newest first */
  tasks: QueueTask[];
  /** of all tasks, by state */
  counts: Record<string, number>;
  /** that hold tasks now */
  pools: { pool: string; host: string; tasks: number }[];
};

/** What the server's page does with the queue. Changes fail as `cancelTask` and `retryTask` do. */
export type QueueDesk = {
  overview: (asked: { states: readonly string[]; limit: number }) => Promise<QueueOverview>;
  /** @throws AppError `not-found` */
  task: (id: number) => Promise<{ task: QueueTask; events: TaskEvent[] }>;
  cancel: (id: number, how: { isNow: boolean }) => Promise<QueueTask>;
  retry: (id: number, how: { isFresh: boolean }) => Promise<QueueTask>;
};

/** The desk on a database that somebody else opened, and closes. */
export const openDesk = async (db: Postgres): Promise<QueueDesk> => {
  const queue = await queueOn(db);
  return {
    overview: async (asked) => {
      const [rows, counts, pools] = await Promise.all([listRows(db, asked), countStates(db), listPools(db)]);
      return { tasks: rows.map(toTask), counts, pools };
    },
    task: async (id) => ({ task: toTask(await getRow(db, id)), events: await listEvents(db, id) }),
    cancel: (id, how) => cancelTask(queue, id, how),
    retry: (id, how) => retryTask(queue, id, how),
  };
};
