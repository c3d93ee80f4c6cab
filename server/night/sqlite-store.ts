import type { Database } from "../../db/database.ts";
import { createNightReads } from "./reads.ts";
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
    ...createNightReads(async (text, values) => db.all(text, values ?? [])),
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
    setSeen: (id) => db.write(() => db.run(sql.SET_SEEN, [id]) > 0),
    addCommand: (command) =>
      db.write(() => {
        db.run(sql.ADD_COMMAND, sql.commandValues(command));
      }),
    acknowledge: (host, acks, now) =>
      db.write(() =>
        acks.flatMap((ack) =>
          db.run(sql.ACKNOWLEDGE, sql.ackValues(ack, host, now)) > 0
            ? db.all<{ run: string }>(sql.RUN_OF_COMMAND, [ack.id, host]).map(({ run }) => run)
            : [],
        ),
      ),
    forgetBefore: (time) =>
      db.write(() => sql.FORGET.map((statement) => db.run(statement, [time])).at(-1) ?? 0),
  };
};
