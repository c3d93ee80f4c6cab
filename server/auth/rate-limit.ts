import { AppError } from "../../core/errors.ts";

/** `burst` at once, then `perMinute` evenly. */
export type Rate = { burst: number; perMinute: number };

export type RateLimiter = {
  /** Counts one use. @throws AppError `rate-limited` with `retryAfterSeconds` when there were too many. */
  take: (key: string) => Promise<void>;
};

/** Makes a limiter, shared by all servers where they share a database. */
export type RateLimiters = (what: string, rate: Rate) => RateLimiter;

/** @throws AppError `rate-limited`, with the time until there is one use again */
export const refuseUse = (what: string, { perMinute }: Rate, left: number): never => {
  const retryAfterSeconds = Math.ceil(((1 - left) * 60) / perMinute);
  throw new AppError("rate-limited", `Too many ${what}; try again in ${retryAfterSeconds} s`, {
    details: { retryAfterSeconds },
  });
};

const MAX_KEYS = 10_000;

type Bucket = { tokens: number; at: number };

/** A token bucket per key, in memory: forgotten when the server restarts, and for the idlest keys when full. */
export const createRateLimiter = (what: string, rate: Rate, now: () => number): RateLimiter => {
  const buckets = new Map<string, Bucket>();
  const perMs = rate.perMinute / 60_000;

  const refill = (key: string): Bucket => {
    const at = now();
    const bucket = buckets.get(key) ?? { tokens: rate.burst, at };
    bucket.tokens = Math.min(rate.burst, bucket.tokens + Math.max(0, at - bucket.at) * perMs);
    bucket.at = at;
    // Re-inserted, so that the map's first key is always the one idle for longest.
    buckets.delete(key);
    buckets.set(key, bucket);
    const oldest = buckets.keys().next().value;
    if (buckets.size > MAX_KEYS && oldest !== undefined) buckets.delete(oldest);
    return bucket;
  };

  return {
    take: async (key) => {
      const bucket = refill(key);
      if (bucket.tokens < 1) refuseUse(what, rate, bucket.tokens);
      bucket.tokens -= 1;
    },
  };
};
