import PgBoss from "pg-boss";
import type { Postgres, Queries, SqlParameter, Transaction } from "../db/postgres/postgres.ts";

/**
 * The engine under the queue: pg-boss delivers what is ready, by priority, to whoever asks first, skipping
 * what somebody else is taking. Each call runs in the caller's transaction, so that a task's record and its
 * delivery are one. A delivery is removed in the transaction in which the lease begins: no expiry of the
 * engine can cut a long run, and its maintenance has nothing to do.
 */
export type Engine = {
  /** @returns the id of the delivery */
  send: (tx: Transaction, delivery: Delivery) => Promise<string>;
  /** takes the next task of a channel, if there is one */
  take: (tx: Transaction, channel: string) => Promise<number | undefined>;
  remove: (tx: Transaction, channel: string, delivery: string) => Promise<void>;
  /** makes a channel, if it is not there yet; not inside a transaction */
  ensureChannel: (channel: string) => Promise<void>;
};

export type Delivery = { channel: string; task: number; priority: number; delaySeconds: number };

/** Where the tasks go that any host may run, and those of one host. */
export const channelOf = (host: string | undefined): string => (host === undefined ? "any" : `host.${host}`);

const SCHEMA = "nightshift_queue_engine";
const FOR_EVER_DAYS = 36_500;

/** The engine's way into a connection or transaction of ours. */
const executor = (queries: Queries) => ({
  executeSql: async (text: string, values: unknown[] = []) => ({
    rows: await (values.length > 0
      ? queries.all<unknown>(text, values as SqlParameter[])
      : queries.exec<unknown>(text)),
  }),
});

const bossOn = (queries: Queries): PgBoss =>
  new PgBoss({
    schema: SCHEMA,
    schedule: false,
    supervise: false,
    retentionDays: FOR_EVER_DAYS,
    db: executor(queries),
  });

/** A channel is a table. They are made one at a time: each locks others in no particular order. */
const createChannel = (db: Postgres, channel: string): Promise<void> =>
  db.transaction(async (tx) => {
    await tx.run("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", [SCHEMA]);
    const boss = bossOn(tx);
    if ((await boss.getQueue(channel)) === null) await boss.createQueue(channel);
  });

/** Brings the engine's tables into shape and opens it. It keeps no timer and no connection of its own. */
export const openEngine = async (db: Postgres): Promise<Engine> => {
  const boss = bossOn(db);
  await boss.start();
  const known = new Set<string>();
  return {
    send: async (tx, { channel, task, priority, delaySeconds }) => {
      const id = await boss.send(
        channel,
        { task },
        { db: executor(tx), priority, ...(delaySeconds > 0 ? { startAfter: delaySeconds } : {}) },
      );
      if (id === null) throw new Error(`the engine took no delivery of task ${task} into ${channel}`);
      return id;
    },
    take: async (tx, channel) => {
      const [job] = await boss.fetch<{ task: number }>(channel, { batchSize: 1, db: executor(tx) });
      if (!job) return undefined;
      await boss.deleteJob(channel, job.id, { db: executor(tx) });
      return job.data.task;
    },
    remove: async (tx, channel, delivery) => {
      await boss.deleteJob(channel, delivery, { db: executor(tx) });
    },
    ensureChannel: async (channel) => {
      if (known.has(channel)) return;
      if ((await boss.getQueue(channel)) === null) await createChannel(db, channel);
      known.add(channel);
    },
  };
};
