import { breakOff } from "./hold-lease.ts";
import type { Queue } from "./queue.ts";
import { lockDirectory, settleDirectory } from "./settle.ts";

const AT_ONCE = 50;

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
     WHERE state = 'running' AND lease_until < now() ORDER BY lease_until LIMIT ${AT_ONCE}`,
  );
  const swept: number[] = [];
  for (const one of expired) if (await takeBack(queue, one)) swept.push(one.id);
  return swept;
};

const takeBack = (queue: Queue, { id, token, directory, run_host: host, pool }: Expired): Promise<boolean> =>
  queue.db.transaction(async (tx) => {
    await lockDirectory(tx, directory);
    const still = await tx.get(
      "SELECT id FROM queue_tasks WHERE id = $1 AND token = $2 AND state = 'running' AND lease_until < now() FOR UPDATE",
      [id, token],
    );
    if (!still) return false;
    await breakOff(
      tx,
      queue,
      { task: id, token },
      {
        why: `pool ${pool ?? "?"} on ${host ?? "?"} was not heard from in time`,
        isBroken: true,
        isLost: true,
      },
    );
    await settleDirectory(tx, queue.engine, directory);
    return true;
  });
