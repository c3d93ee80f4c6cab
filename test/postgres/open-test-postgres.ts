import { openPostgres } from "../../server/db/postgres/open-postgres.ts";
import type { Postgres } from "../../server/db/postgres/postgres.ts";
import { createSilentLog } from "../../server/log.ts";

/** As a server opens it, and silent. */
export const openTestPostgres = (url: string): Promise<Postgres> =>
  openPostgres({ url, poolSize: 10, statementTimeoutMs: 15_000, waitMs: 10_000 }, { log: createSilentLog() });
