import type { StoreDatabase } from "../../db/statements.ts";
import { all, get, run, runEach, type Steps } from "../../db/steps.ts";
import { onStatements } from "./on-statements.ts";
import { KEPT_LOG_LINES, needsTrim, type NightStore } from "./store.ts";
import * as sql from "./writes.ts";

const trim = function* (id: string): Steps<number> {
  const sizes = yield* all<{ number: number; lines: number }>(sql.LOG_SIZES, [id]);
  const kept = sql.keepFrom(sizes, KEPT_LOG_LINES);
  yield* run(sql.TRIM_LOG, [id, kept.number]);
  return kept.lines;
};

/** The night's store, on either database. */
export const createNightStore = (db: StoreDatabase): NightStore => ({
  ...onStatements(db),
  change: (id, fold) =>
    db.transact(function* () {
      // Two servers that are told of one run at once wait here for each other, before there is a row, too.
      yield* db.dialect.lock(`night ${id}`);
      const row = yield* get<sql.StoredRunRow>(sql.FIND_FOR_CHANGE, [id]);
      const { run: changed, events } = fold(row && sql.toStored(row));
      yield* run(sql.PUT_RUN, sql.runValues(changed));
      if (!row) yield* run(sql.SUPERSEDE, [changed.card.host, changed.card.worker]);
      yield* runEach(
        sql.ADD_EVENT,
        events.map((event) => sql.eventValues(id, event)),
      );
      if (needsTrim(changed.logLines)) yield* run(sql.SET_LOG_LINES, [yield* trim(id), id]);
      const stored = yield* get<{ is_latest: number }>(sql.IS_LATEST, [id]);
      return { run: changed, isLatest: (stored?.is_latest ?? 0) > 0 };
    }),
  forgetBefore: (time) =>
    db.transact(function* () {
      let forgotten = 0;
      for (const statement of sql.FORGET) forgotten = yield* run(statement, [time]);
      return forgotten;
    }),
});
