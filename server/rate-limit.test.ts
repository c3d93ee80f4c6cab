import { expect, test } from "vitest";
import type { AppError } from "../core/errors.ts";
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
