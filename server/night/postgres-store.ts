import type { Postgres, Transaction } from "../../db/postgres/postgres.ts";
import { onStatements } from "./on-statements.ts";
import { KEPT_LOG_LINES, needsTrim, type NightStore } from "./store.ts";
import * as sql from "./writes.ts";

/** The store on a database that servers share. */
export const createPostgresNight = (db: Postgres): NightStore => {
  const trim = async (tx: Transaction, id: string): Promise<number> => {
    const sizes = await tx.all<{ number: number; lines: number }>(sql.LOG_SIZES, [id]);
    const kept = sql.keepFrom(sizes, KEPT_LOG_LINES);
    await tx.run(sql.TRIM_LOG, [id, kept.number]);
    return kept.lines;
  };
  return {
    ...onStatements(db),
    change: (id, fold) =>
      db.transaction(async (tx) => {
        // Two servers that are told of one run at once wait here for each other, before there is a row, too.
        await tx.run("SELECT pg_advisory_xact_lock(hashtext($1))", [`night ${id}`]);
        const row = await tx.get<sql.StoredRunRow>(sql.FIND_FOR_CHANGE, [id]);
        const { run, events } = fold(row && sql.toStored(row));
        await tx.run(sql.PUT_RUN, sql.runValues(run));
        if (!row) await tx.run(sql.SUPERSEDE, [run.card.host, run.card.worker]);
        await Promise.all(events.map((event) => tx.run(sql.ADD_EVENT, sql.eventValues(id, event))));
        if (needsTrim(run.logLines)) await tx.run(sql.SET_LOG_LINES, [await trim(tx, id), id]);
        const stored = await tx.get<{ is_latest: number }>(sql.IS_LATEST, [id]);
        return { run, isLatest: (stored?.is_latest ?? 0) > 0 };
      }),
    forgetBefore: (time) =>
      db.transaction(async (tx) => {
        let forgotten = 0;
        for (const statement of sql.FORGET) forgotten = await tx.run(statement, [time]);
        return forgotten;
      }),
  };
};
