import { describe, expect, test } from "vitest";
import type { AppError } from "../../core/errors.ts";
import { useStores } from "../fixtures/use-stores.ts";
import { createRateLimiter } from "./rate-limit.ts";

test("lets a burst through, refuses with the seconds to wait, and fills up again", async () => {
  let now = 0;
  const limiter = createRateLimiter("writes", { burst: 2, perMinute: 60 }, () => now);
  await limiter.take("a");
  await limiter.take("a");
  await limiter.take("b");
  try {
    await limiter.take("a");
    expect.unreachable();
  } catch (error) {
    expect((error as AppError).code).toBe("rate-limited");
    expect((error as AppError).details["retryAfterSeconds"]).toBe(1);
  }
  now = 1000;
  await limiter.take("a");
  await expect(limiter.take("a")).rejects.toThrow("Too many writes; try again in 1 s");
});

test("forgets the keys idle for longest instead of growing for ever", async () => {
  const limiter = createRateLimiter("writes", { burst: 1, perMinute: 1 }, () => 0);
  await limiter.take("first");
  for (let at = 0; at < 10_000; at++) await limiter.take(`key ${at}`);
  await limiter.take("first");
  await expect(limiter.take("key 9999")).rejects.toThrow("Too many writes");
});

describe("limits that servers share", () => {
  const lab = useStores("PostgreSQL");

  test.skipIf(lab.isMissing)("lets the burst through once, whichever server is asked", async () => {
    const { stores, another } = await lab.open();
    const rate = { burst: 30, perMinute: 1 };
    const servers = [stores, await another(), await another()].map(({ auth }) => auth.limiters("uses", rate));
    const takes = Array.from({ length: 30 }, () => servers.map((server) => server.take("a"))).flat();
    const results = await Promise.allSettled(takes);
    const refused = results.filter((result) => result.status === "rejected");
    expect(refused).toHaveLength(60);
    for (const { reason } of refused) {
      const { code, details } = reason as AppError;
      expect(code).toBe("rate-limited");
      expect(details["retryAfterSeconds"]).toBeGreaterThan(30);
      expect(details["retryAfterSeconds"]).toBeLessThanOrEqual(60);
    }
    await servers[0]?.take("b");
  });

  test.skipIf(lab.isMissing)("fills up again by the database's clock, and forgets who is idle", async () => {
    const { stores, another, meddle } = await lab.open();
    const limiter = stores.auth.limiters("uses", { burst: 2, perMinute: 60 });
    await limiter.take("a");
    await limiter.take("a");
    await meddle("UPDATE rate_limits SET at = at - 1000, tokens = 0");
    await (await another()).auth.limiters("uses", { burst: 2, perMinute: 60 }).take("a");
    await expect(limiter.take("a")).rejects.toThrow("Too many uses");
    await meddle("UPDATE rate_limits SET at = at - 86400001");
    await stores.tidy();
    await limiter.take("a");
    await limiter.take("a");
  });
});
