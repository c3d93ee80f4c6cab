import { AppError } from "../core/errors.ts";
import { channelOf } from "./engine.ts";
import { recordEvent } from "./events.ts";
import { QUEUE_CHANNEL, type Queue } from "./queue.ts";
import { getRow, toTask } from "./rows.ts";
import { settleAfter, settleTask } from "./settle.ts";
import type { QueueTask } from "./task.ts";

/**
 * Cancels a task: at once when nobody runs it, else its pool is asked to stop it, gently or now.
 * @throws AppError `conflict` when it has ended already
 */
export const cancelTask = (
  { db, engine }: Queue,
  id: number,
  { isNow }: { isNow: boolean },
): Promise<QueueTask> =>
  db.transaction(async (tx) => {
    await getRow(tx, id);
    await tx.get("SELECT id FROM queue_tasks WHERE id = $1 FOR UPDATE", [id]);
    const { state, delivery, host } = await getRow(tx, id);
    if (state === "running") {
      await tx.run("UPDATE queue_tasks SET cancel = $2 WHERE id = $1", [id, isNow ? "now" : "gently"]);
      await recordEvent(tx, id, { kind: "cancel asked" });
      await tx.notify(QUEUE_CHANNEL, "cancel");
      return toTask(await getRow(tx, id));
    }
    if (!["waiting", "blocked", "ready"].includes(state))
      throw new AppError("conflict", `task ${id} has ended already: ${state}`);
    if (delivery !== null) await engine.remove(tx, channelOf(host ?? undefined), delivery);
    await tx.run(
      "UPDATE queue_tasks SET state = 'cancelled', reason = 'cancelled before it ran', delivery = NULL, ended_at = now() WHERE id = $1",
      [id],
    );
    await recordEvent(tx, id, { kind: "cancelled" });
    await settleAfter(tx, engine, id);
    return toTask(await getRow(tx, id));
  });

const RETRIED = ["failed", "cancelled", "unverified"];

/**
 * Puts a task that did not end complete into the queue again: it goes on from its last handoff, or anew.
 * @throws AppError `conflict` when there is nothing to retry
 */
export const retryTask = (
  { db, engine }: Queue,
  id: number,
  { isFresh }: { isFresh: boolean },
): Promise<QueueTask> =>
  db.transaction(async (tx) => {
    await getRow(tx, id);
    await tx.get("SELECT id FROM queue_tasks WHERE id = $1 FOR UPDATE", [id]);
    const { state, reason } = await getRow(tx, id);
    if (state === "blocked")
      throw new AppError("conflict", `task ${id} is blocked (${reason ?? "?"}); retry the task it waits for`);
    if (!RETRIED.includes(state))
      throw new AppError(
        "conflict",
        `task ${id} is ${state}; only one that failed, was cancelled or is unverified is retried`,
      );
    await tx.run(
      `UPDATE queue_tasks SET state = 'waiting', reason = NULL, verdict = NULL, attempts = 0, cancel = NULL,
         ended_at = NULL, pool = NULL, run_host = NULL WHERE id = $1`,
      [id],
    );
    // With another token, no host takes what it has of earlier runs for the last one.
    if (isFresh)
      await tx.run(
        `UPDATE queue_tasks SET token = nextval('queue_tokens'), snapshot = NULL, handoff = NULL, progress = NULL, branch = NULL, head = NULL,
           rescue = NULL, started_at = NULL WHERE id = $1`,
        [id],
      );
    await recordEvent(tx, id, { kind: "retried", text: isFresh ? "anew" : "from its last handoff" });
    await settleTask(tx, engine, id);
    await settleAfter(tx, engine, id);
    return toTask(await getRow(tx, id));
  });
