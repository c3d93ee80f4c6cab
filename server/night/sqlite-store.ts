import type { Database } from "../../db/database.ts";
import { statementsOn } from "../../db/statements.ts";
import { onStatements } from "./on-statements.ts";
import { KEPT_LOG_LINES, needsTrim, type NightStore } from "./store.ts";
import * as sql from "./writes.ts";

/** The store on the server's own SQLite database. */
export const createSqliteNight = (db: Database): NightStore => {
  const trim = (id: string): number => {
    const kept = sql.keepFrom(db.all<{ number: number; lines: number }>(sql.LOG_SIZES, [id]), KEPT_LOG_LINES);
    db.run(sql.TRIM_LOG, [id, kept.number]);
    return kept.lines;
  };
  return {
    ...onStatements(statementsOn(db)),
    change: (id, fold) =>
      db.write(() => {
        const row = db.get<sql.StoredRunRow>(sql.FIND_FOR_CHANGE, [id]);
        const { run, events } = fold(row && sql.toStored(row));
        db.run(sql.PUT_RUN, sql.runValues(run));
        if (!row) db.run(sql.SUPERSEDE, [run.card.host, run.card.worker]);
        for (const event of events) db.run(sql.ADD_EVENT, sql.eventValues(id, event));
        if (needsTrim(run.logLines)) db.run(sql.SET_LOG_LINES, [trim(id), id]);
        return { run, isLatest: (db.get<{ is_latest: number }>(sql.IS_LATEST, [id])?.is_latest ?? 0) > 0 };
      }),
    forgetBefore: (time) =>
      db.write(() => sql.FORGET.map((statement) => db.run(statement, [time])).at(-1) ?? 0),
  };
};
