import type { Migration } from "./migration.ts";

/**
 * A task whose worker has come to its end is `publishing` until its result is where others find it: an outbox
 * that the pools of its host empty. What could not be prepared is counted apart from what broke off.
 *
 * `phase` is of a running task. `outcome` is the end that is told once the result is published, as JSON.
 * `fresh_from` and `retried_from` are tokens: runs up to them are of before somebody asked for a new beginning,
 * or for another try.
 */
export const queuePublishing: Migration = {
  number: 51,
  name: "queue-publishing",
  sqlite: "SELECT 1",
  postgres: `
ALTER TABLE queue_tasks DROP CONSTRAINT queue_tasks_state_check;
ALTER TABLE queue_tasks ADD CONSTRAINT queue_tasks_state_check CHECK (state IN
  ('waiting', 'blocked', 'ready', 'running', 'publishing', 'complete', 'unverified', 'failed', 'cancelled'));
ALTER TABLE queue_tasks
  ADD COLUMN phase TEXT CHECK (phase IN ('preparing', 'working')),
  ADD COLUMN outcome TEXT,
  ADD COLUMN setbacks INTEGER NOT NULL DEFAULT 0,
  ADD COLUMN stuck_since TIMESTAMPTZ,
  ADD COLUMN fresh_from BIGINT NOT NULL DEFAULT 0,
  ADD COLUMN retried_from BIGINT NOT NULL DEFAULT 0;
CREATE INDEX queue_outbox ON queue_tasks (run_host) WHERE state = 'publishing';
`,
};
