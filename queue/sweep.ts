import { OUTBOX_HOLD_MS } from "./decide-job.ts";
import { breakOff } from "./hold-lease.ts";
import type { Queue } from "./queue.ts";
import { lockDirectory, settleDirectory } from "./settle.ts";

const AT_ONCE = 50;
/** One that is to be published belongs to its host for longer: nobody else has what was done. */
const EXPIRED = `(state = 'running' AND lease_until < now()
  OR state = 'publishing' AND lease_until < now() - ${OUTBOX_HOLD_MS} * interval '1 millisecond')`;

type Expired = {
  id: number;
  token: number;
  directory: string | null;
  run_host: string | null;
  pool: string | null;
};

/**
 * Takes back every task whose lease ran out, by the clock of the database: its host is dead or cut off, and
 * has by its own clock ended the work before. Every pool does this; each task is taken back by one.
 * @returns the tasks
 */
export const sweepLeases = async (queue: Queue): Promise<number[]> => {
  const expired = await queue.db.all<Expired>(
    `SELECT id, token, directory, run_host, pool FROM queue_tasks
     WHERE ${EXPIRED} ORDER BY lease_until LIMIT ${AT_ONCE}`,
  );
  const swept: number[] = [];
  for (const one of expired) if (await takeBack(queue, one)) swept.push(one.id);
  return swept;
};

const takeBack = (queue: Queue, { id, token, directory, run_host: host, pool }: Expired): Promise<boolean> =>
  queue.db.transaction(async (tx) => {
    await lockDirectory(tx, directory);
    const still = await tx.get(
      `SELECT id FROM queue_tasks WHERE id = $1 AND token = $2 AND ${EXPIRED} FOR UPDATE`,
      [id, token],
    );
    if (!still) return false;
    await breakOff(
      tx,
      queue,
      { task: id, token },
      { how: "lost", why: `pool ${pool ?? "?"} on ${host ?? "?"} was not heard from in time` },
    );
    await settleDirectory(tx, queue.engine, directory);
    return true;
  });
