import { AppError } from "../core/errors.ts";
import { channelOf } from "./engine.ts";
import { recordEvent } from "./events.ts";
import { QUEUE_CHANNEL, type Queue } from "./queue.ts";
import { getRow, toJob } from "./rows.ts";
import { lockDirectory, settleAfter, settleDirectory, settleJob } from "./settle.ts";
import { ENDED_STATES, type Job } from "./job.ts";

/**
 * Cancels a task: at once when nobody runs it, else its pool is asked to stop it, gently or now.
 * @throws AppError `conflict` when it has ended already
 */
export const cancelJob = ({ db, engine }: Queue, id: number, { isNow }: { isNow: boolean }): Promise<Job> =>
  db.transaction(async (tx) => {
    const { directory } = await getRow(tx, id);
    await lockDirectory(tx, directory);
    await tx.get("SELECT id FROM queue_tasks WHERE id = $1 FOR UPDATE", [id]);
    const { state, delivery, host, token, run_host: runHost } = await getRow(tx, id);
    if (state === "running") {
      await tx.run("UPDATE queue_tasks SET cancel = $2 WHERE id = $1", [id, isNow ? "now" : "gently"]);
      await recordEvent(tx, id, { kind: "cancel asked" });
      await tx.notify(QUEUE_CHANNEL, "cancel");
      return toJob(await getRow(tx, id));
    }
    if (ENDED_STATES.includes(state))
      throw new AppError("conflict", `task ${id} has ended already: ${state}`);
    if (delivery !== null) await engine.remove(tx, channelOf(host ?? undefined), delivery);
    const reason =
      state === "publishing"
        ? `cancelled before its result was pushed; it is on ${runHost ?? "?"}`
        : "cancelled before it ran";
    await tx.run(
      `UPDATE queue_tasks SET state = 'cancelled', reason = $2, delivery = NULL, outcome = NULL, lease_until = NULL,
         ended_at = now() WHERE id = $1`,
      [id, reason],
    );
    await recordEvent(tx, id, { kind: "cancelled", ...(state === "publishing" ? { token } : {}) });
    await tx.notify(QUEUE_CHANNEL, "cancel");
    await settleAfter(tx, engine, id);
    // Whoever waits for its directory waited behind this one.
    await settleDirectory(tx, engine, directory);
    return toJob(await getRow(tx, id));
  });

const RETRIED = ["failed", "cancelled", "unverified"];

/**
 * Puts a task that did not end complete into the queue again: it goes on from its last handoff, or from scratch.
 * @throws AppError `conflict` when there is nothing to retry
 */
export const retryJob = (
  { db, engine }: Queue,
  id: number,
  { isFresh }: { isFresh: boolean },
): Promise<Job> =>
  db.transaction(async (tx) => {
    await lockDirectory(tx, (await getRow(tx, id)).directory);
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
      `UPDATE queue_tasks SET state = 'waiting', reason = NULL, verdict = NULL, attempts = 0, setbacks = 0,
         stuck_since = NULL, retried_from = token, outcome = NULL, cancel = NULL, ended_at = NULL, pool = NULL,
         run_host = NULL WHERE id = $1`,
      [id],
    );
    // No host goes on with what it has of earlier runs.
    if (isFresh)
      await tx.run(
        `UPDATE queue_tasks SET fresh_from = token + 1, snapshot = NULL, handoff = NULL, progress = NULL, branch = NULL, head = NULL,
           rescue = NULL, started_at = NULL WHERE id = $1`,
        [id],
      );
    await recordEvent(tx, id, { kind: "retried", text: isFresh ? "from scratch" : "from its last handoff" });
    await settleJob(tx, engine, id);
    await settleAfter(tx, engine, id);
    return toJob(await getRow(tx, id));
  });
