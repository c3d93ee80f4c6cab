import { inBoth, type Migration } from "./migration.ts";

/**
 * What a run hangs together with: the task of the queue that it works on, what its sessions published, and how many
 * of its sessions told no cost.
 */
export const nightLinks: Migration = {
  number: 81,
  name: "night-links",
  ...inBoth(
    ({ integer }) => `
ALTER TABLE night_runs ADD COLUMN unpriced INTEGER NOT NULL DEFAULT 0;
ALTER TABLE night_runs ADD COLUMN queue_task ${integer};
CREATE INDEX night_runs_by_task ON night_runs (queue_task) WHERE queue_task IS NOT NULL;
ALTER TABLE deployments ADD COLUMN run TEXT;
CREATE INDEX deployments_by_run ON deployments (run) WHERE run IS NOT NULL;
`,
  ),
};
