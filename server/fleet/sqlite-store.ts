import type { Database } from "../../db/database.ts";
import type { FleetReport } from "./schemas.ts";
import type { FleetStore } from "./store.ts";

type Row = { host: string; worker: string; report: string; reported_at: number };

/** The store on the server's own SQLite database. */
export const createSqliteFleet = (db: Database): FleetStore => ({
  put: ({ host, worker, report, reportedAt }) =>
    db.write(() => {
      db.run("INSERT OR REPLACE INTO fleet (host, worker, report, reported_at) VALUES (?, ?, ?, ?)", [
        host,
        worker,
        JSON.stringify(report),
        reportedAt,
      ]);
    }),
  list: async () =>
    db.all<Row>("SELECT * FROM fleet ORDER BY host, worker").map((row) => ({
      host: row.host,
      worker: row.worker,
      report: JSON.parse(row.report) as FleetReport,
      reportedAt: row.reported_at,
    })),
  remove: (host, worker) =>
    db.write(() => db.run("DELETE FROM fleet WHERE host = ? AND worker = ?", [host, worker]) > 0),
  forgetBefore: (time) =>
    db.write(() => {
      db.run("DELETE FROM fleet WHERE reported_at < ?", [time]);
    }),
});
