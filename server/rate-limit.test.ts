import { expect, test } from "vitest";
import type { AppError } from "../core/errors.ts";
import { createRateLimiter } from "./rate-limit.ts";

test("lets a burst through, refuses with the seconds to wait, and fills up again", () => {
  let now = 0;
  const limiter = createRateLimiter("writes", { burst: 2, perMinute: 60 }, () => now);
  limiter.take("a");
  limiter.take("a");
  limiter.take("b");
  try {
    limiter.take("a");
    expect.unreachable();
  } catch (error) {
    expect((error as AppError).code).toBe("rate-limited");
    expect((error as AppError).details["retryAfterSeconds"]).toBe(1);
  }
  now = 1000;
  limiter.take("a");
  expect(() => limiter.take("a")).toThrow("Too many writes; try again in 1 s");
});

test("forgets the keys idle for longest instead of growing for ever", () => {
  const limiter = createRateLimiter("writes", { burst: 1, perMinute: 1 }, () => 0);
  limiter.take("first");
  for (let at = 0; at < 10_000; at++) limiter.take(`key ${at}`);
  limiter.take("first");
  expect(() => limiter.take("key 9999")).toThrow("Too many writes");
});
