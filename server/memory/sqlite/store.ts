import type { Database } from "../../../db/database.ts";
import { statementsOn } from "../../../db/statements.ts";
import { runNow } from "../../../db/steps.ts";
import { createAnalyses } from "../store/analyses.ts";
import { createSqliteVectors } from "../embeddings/sqlite-vectors.ts";
import type { MemoryStores } from "../store/store.ts";
import { createStores } from "../store/stores.ts";
import { createIndex, rebuildIfOutdated } from "./index.ts";
import { createSearch } from "./search.ts";

/** The memory's stores on the embedded database. */
export const createSqliteStores = (db: Database, now: () => number): MemoryStores => {
  const analyze = createAnalyses();
  const { forget, ...search } = createSearch(db, analyze, now);
  const index = createIndex(db, analyze, forget);
  rebuildIfOutdated(db, index);
  return createStores(
    {
      db: statementsOn(db),
      write: (change) => db.write(() => runNow(db, change(index))),
      search,
      vectors: createSqliteVectors(db),
    },
    now,
  );
};
