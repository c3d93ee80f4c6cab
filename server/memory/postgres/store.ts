import type { Postgres } from "../../../db/postgres/postgres.ts";
import { createAnalyses } from "../store/analyses.ts";
import { createPostgresVectors } from "../embeddings/postgres-vectors.ts";
import type { MemoryStores } from "../store/store.ts";
import { createStores } from "../store/stores.ts";
import { createPostgresSearch, rebuildIfOutdated } from "./index.ts";
import { createIndexChanges } from "./terms.ts";
import { createWrite } from "./writes.ts";

/** The memory's stores on a PostgreSQL that any number of servers share. */
export const createPostgresStores = async (db: Postgres, now: () => number): Promise<MemoryStores> => {
  await rebuildIfOutdated(db);
  const analyze = createAnalyses();
  return createStores(
    {
      db,
      write: createWrite(db, () => createIndexChanges(analyze)),
      search: createPostgresSearch(db, analyze, now),
      vectors: createPostgresVectors(db),
    },
    now,
  );
};
