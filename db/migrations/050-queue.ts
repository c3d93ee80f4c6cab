import type { Migration } from "./migration.ts";

/**
 * Work for many machines; only a shared database has it. A task's lease is the row itself: `token` grows with
 * every run, `lease_until` is by the clock of the database, and the unique index is what keeps two runs out
 * of one directory.
 */
export const queue: Migration = {
  number: 50,
  name: "queue",
  sqlite: "SELECT 1",
  postgres: `
CREATE SEQUENCE queue_tokens;
CREATE TABLE queue_settings (name TEXT PRIMARY KEY, value TEXT NOT NULL);
INSERT INTO queue_settings (name, value) VALUES ('id', replace(gen_random_uuid()::text, '-', ''));
CREATE TABLE queue_tasks (
  id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  worker TEXT NOT NULL,
  task TEXT NOT NULL,
  repo TEXT,
  dir TEXT,
  host TEXT,
  is_in_place BOOLEAN NOT NULL DEFAULT FALSE,
  directory TEXT,
  priority INTEGER NOT NULL DEFAULT 0,
  state TEXT NOT NULL CHECK (state IN
    ('waiting', 'blocked', 'ready', 'running', 'complete', 'unverified', 'failed', 'cancelled')),
  reason TEXT,
  verdict TEXT,
  delivery TEXT,
  attempts INTEGER NOT NULL DEFAULT 0,
  max_attempts INTEGER NOT NULL,
  token BIGINT NOT NULL DEFAULT 0,
  pool TEXT,
  run_host TEXT,
  run_name TEXT,
  lease_until TIMESTAMPTZ,
  cancel TEXT CHECK (cancel IN ('gently', 'now')),
  progress TEXT,
  snapshot TEXT,
  handoff TEXT,
  branch TEXT,
  head TEXT,
  rescue TEXT,
  added_at TIMESTAMPTZ NOT NULL DEFAULT now(),
  started_at TIMESTAMPTZ,
  ended_at TIMESTAMPTZ
);
CREATE UNIQUE INDEX queue_one_run_per_directory ON queue_tasks (directory) WHERE state = 'running';
CREATE INDEX queue_by_state ON queue_tasks (state, priority DESC, id);
CREATE INDEX queue_by_directory ON queue_tasks (directory) WHERE directory IS NOT NULL;
CREATE TABLE queue_needs (
  task BIGINT NOT NULL REFERENCES queue_tasks (id) ON DELETE CASCADE,
  needs BIGINT NOT NULL REFERENCES queue_tasks (id) ON DELETE CASCADE,
  PRIMARY KEY (task, needs)
);
CREATE INDEX queue_needed_by ON queue_needs (needs);
CREATE TABLE queue_events (
  seq BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  task BIGINT NOT NULL REFERENCES queue_tasks (id) ON DELETE CASCADE,
  at TIMESTAMPTZ NOT NULL DEFAULT clock_timestamp(),
  kind TEXT NOT NULL,
  token BIGINT,
  host TEXT,
  text TEXT
);
CREATE INDEX queue_events_of_task ON queue_events (task, seq);
`,
};
