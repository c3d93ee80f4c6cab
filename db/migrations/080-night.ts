import { inBoth, type Migration } from "./migration.ts";

/**
 * What the supervisors tell of their runs. `card` is what the list shows of a run, as JSON; `body` of an event is
 * what happened, and `text` what is long (a patch, a report, a handoff), which is read by itself.
 */
export const night: Migration = {
  number: 80,
  name: "night",
  ...inBoth(
    ({ integer, real, number }) => `
CREATE TABLE night_runs (
  id TEXT PRIMARY KEY,
  host TEXT NOT NULL,
  worker TEXT NOT NULL,
  project TEXT NOT NULL,
  status TEXT NOT NULL,
  is_latest INTEGER NOT NULL,
  is_seen INTEGER NOT NULL,
  cost ${real} NOT NULL,
  commits INTEGER NOT NULL,
  started_at ${integer} NOT NULL,
  ended_at ${integer},
  reported_at ${integer} NOT NULL,
  log_lines INTEGER NOT NULL,
  streams TEXT NOT NULL,
  card TEXT NOT NULL
);
CREATE INDEX night_runs_by_start ON night_runs (started_at, id);
CREATE INDEX night_runs_by_report ON night_runs (reported_at);
CREATE INDEX night_runs_by_worker ON night_runs (host, worker, is_latest);
CREATE TABLE night_events (
  number ${number},
  run TEXT NOT NULL REFERENCES night_runs (id) ON DELETE CASCADE,
  at ${integer} NOT NULL,
  kind TEXT NOT NULL,
  session INTEGER NOT NULL,
  lines INTEGER NOT NULL,
  body TEXT NOT NULL,
  text TEXT
);
CREATE INDEX night_events_by_run ON night_events (run, number);
CREATE TABLE night_commands (
  id TEXT PRIMARY KEY,
  run TEXT NOT NULL REFERENCES night_runs (id) ON DELETE CASCADE,
  host TEXT NOT NULL,
  worker TEXT NOT NULL,
  action TEXT NOT NULL,
  args TEXT NOT NULL,
  asked_by TEXT NOT NULL,
  state TEXT NOT NULL,
  detail TEXT,
  created_at ${integer} NOT NULL,
  expires_at ${integer} NOT NULL,
  received_at ${integer},
  ended_at ${integer}
);
CREATE INDEX night_commands_by_host ON night_commands (host, state);
CREATE INDEX night_commands_by_run ON night_commands (run, created_at);
`,
  ),
};
