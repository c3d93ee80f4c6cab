import type { Transaction } from "../db/postgres/postgres.ts";
import { channelOf } from "./engine.ts";
import { recordEvent } from "./events.ts";
import type { Queue } from "./queue.ts";
import { getRow, toClaim } from "./rows.ts";
import { lockDirectory } from "./settle.ts";
import type { Claim } from "./job.ts";

export type Claimer = { pool: string; host: string; leaseMs: number };

/** A delivery that led to nothing: its directory was taken meanwhile, or it was cancelled. */
type Outcome = Claim | "passed over" | undefined;

/**
 * Takes the next task for a host: the engine's delivery and the lease are one transaction, so nothing is
 * taken twice and nothing is lost between the two. Undefined when there is nothing to do.
 */
export const claimJob = async (queue: Queue, claimer: Claimer): Promise<Claim | undefined> => {
  await queue.engine.ensureChannel(channelOf(undefined));
  await queue.engine.ensureChannel(channelOf(claimer.host));
  for (;;) {
    const outcome = await queue.db.transaction((tx) => takeOne(tx, queue, claimer));
    if (outcome !== "passed over") return outcome;
  }
};

const takeOne = async (tx: Transaction, { engine }: Queue, claimer: Claimer): Promise<Outcome> => {
  // The engine knows priorities within a channel only.
  const channels = await tx.all<{ host: string | null }>(
    `SELECT host FROM queue_tasks WHERE state = 'ready' AND (host IS NULL OR host = $1)
     GROUP BY host ORDER BY max(priority) DESC, min(id)`,
    [claimer.host],
  );
  for (const { host } of channels) {
    const id = await engine.take(tx, channelOf(host ?? undefined));
    if (id !== undefined) return begin(tx, id, claimer);
  }
  return undefined;
};

const begin = async (tx: Transaction, id: number, { pool, host, leaseMs }: Claimer): Promise<Outcome> => {
  const found = await tx.get<{ directory: string | null }>(
    "SELECT directory FROM queue_tasks WHERE id = $1",
    [id],
  );
  if (!found) return "passed over";
  await lockDirectory(tx, found.directory);
  const before = await tx.get("SELECT id FROM queue_tasks WHERE id = $1 AND state = 'ready' FOR UPDATE", [
    id,
  ]);
  if (!before) return "passed over";
  const holder =
    found.directory === null
      ? undefined
      : await tx.get<{ id: number }>(
          "SELECT id FROM queue_tasks WHERE directory = $1 AND state = 'running'",
          [found.directory],
        );
  if (holder) {
    await tx.run("UPDATE queue_tasks SET state = 'waiting', delivery = NULL, reason = $2 WHERE id = $1", [
      id,
      `for its directory: task ${holder.id} works in it`,
    ]);
    return "passed over";
  }
  await tx.run(
    `UPDATE queue_tasks SET state = 'running', phase = 'preparing', token = nextval('queue_tokens'), delivery = NULL, reason = NULL,
       pool = $2, run_host = $3, lease_until = now() + $4 * interval '1 millisecond',
       started_at = coalesce(started_at, now()) WHERE id = $1`,
    [id, pool, host, leaseMs],
  );
  const claim = toClaim(await getRow(tx, id));
  await recordEvent(tx, id, { kind: "taken", token: claim.lease.token, host, text: `pool ${pool}` });
  return claim;
};
