import { databaseUrl, openQueue } from "../../../queue/open-queue.ts";
import type { Queue } from "../../../queue/queue.ts";
import { createSilentLog } from "../../../core/log.ts";
import type { CommandIo } from "../../command/define-command.ts";

const WAIT_MS = 5_000;

/** Opens the queue that DATABASE_URL names for one piece of work, and closes it. */
export const withQueue = async <T>({ env }: CommandIo, work: (queue: Queue) => Promise<T>): Promise<T> => {
  const queue = await openQueue(
    { url: databaseUrl(env), poolSize: 1, waitMs: WAIT_MS },
    { log: createSilentLog() },
  );
  try {
    return await work(queue);
  } finally {
    await queue.close();
  }
};
