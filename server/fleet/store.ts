import type { Statements } from "../../db/statements.ts";
import type { FleetReport } from "./schemas.ts";

/** A report, and when the server got it: hosts' clocks do not count. */
export type StoredReport = { host: string; worker: string; report: FleetReport; reportedAt: number };

/** What each host said last of each of its workers. */
export type FleetStore = {
  put: (stored: StoredReport) => Promise<void>;
  /** by host and worker */
  list: () => Promise<StoredReport[]>;
  /** False when there is none. */
  remove: (host: string, worker: string) => Promise<boolean>;
  /** Forgets what was reported before this time. */
  forgetBefore: (time: number) => Promise<void>;
};

type Row = { host: string; worker: string; report: string; reported_at: number };

/** The store on either database. */
export const createFleet = (db: Statements): FleetStore => ({
  put: async ({ host, worker, report, reportedAt }) => {
    await db.run(
      `INSERT INTO fleet (host, worker, report, reported_at) VALUES ($1, $2, $3, $4)
       ON CONFLICT (host, worker) DO UPDATE SET report = excluded.report, reported_at = excluded.reported_at`,
      [host, worker, JSON.stringify(report), reportedAt],
    );
  },
  list: async () =>
    (await db.all<Row>("SELECT * FROM fleet ORDER BY host, worker")).map((row) => ({
      host: row.host,
      worker: row.worker,
      report: JSON.parse(row.report) as FleetReport,
      reportedAt: row.reported_at,
    })),
  remove: async (host, worker) =>
    (await db.run("DELETE FROM fleet WHERE host = $1 AND worker = $2", [host, worker])) > 0,
  forgetBefore: async (time) => {
    await db.run("DELETE FROM fleet WHERE reported_at < $1", [time]);
  },
});
