import type { Postgres } from "../../db/postgres/postgres.ts";
import { type RateLimiters, refuseUse } from "./rate-limit.ts";

const NOW_MS = "(extract(epoch FROM clock_timestamp()) * 1000)::double precision";
/** What the bucket holds by now. */
const FILLED = `least($3, r.tokens + greatest(0, ${NOW_MS} - r.at) * $4)`;

const TAKE = `
INSERT INTO rate_limits AS r (what, key, tokens, at, is_allowed)
VALUES ($1, $2, $3::double precision - 1, ${NOW_MS}, true)
ON CONFLICT (what, key) DO UPDATE SET
  tokens = ${FILLED} - CASE WHEN ${FILLED} >= 1 THEN 1 ELSE 0 END,
  at = ${NOW_MS},
  is_allowed = ${FILLED} >= 1
RETURNING tokens, is_allowed`;

const FORGET_MS = 24 * 3_600_000;

/**
 * Token buckets in a PostgreSQL that any number of servers share, by its clock: who is refused by one is
 * refused by all. Like those in memory they are gone after a crash of the database (UNLOGGED).
 */
export const createPostgresRateLimiters =
  (db: Postgres): RateLimiters =>
  (what, rate) => ({
    take: async (key) => {
      const bucket = await db.get<{ tokens: number; is_allowed: boolean }>(TAKE, [
        what,
        key,
        rate.burst,
        rate.perMinute / 60_000,
      ]);
      if (bucket && !bucket.is_allowed) refuseUse(what, rate, bucket.tokens);
    },
  });

/** Buckets that nobody has used for a day are full again, and as good as none. */
export const forgetIdleBuckets = (db: Postgres): Promise<number> =>
  db.run(`DELETE FROM rate_limits WHERE at < ${NOW_MS} - $1`, [FORGET_MS]);
