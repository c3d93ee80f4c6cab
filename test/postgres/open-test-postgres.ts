import { openPostgres } from "../../db/postgres/open-postgres.ts";
import type { Postgres } from "../../db/postgres/postgres.ts";
import { createSilentLog } from "../../core/log.ts";

/** As a server opens it, and silent. */
export const openTestPostgres = (url: string): Promise<Postgres> =>
  openPostgres({ url, poolSize: 10, statementTimeoutMs: 15_000, waitMs: 10_000 }, { log: createSilentLog() });
