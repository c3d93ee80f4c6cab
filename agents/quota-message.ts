type RateLimit = { type: "rate-limit"; message: string; resetsAtMs?: number };

const SECONDS = { h: 3600, m: 60, s: 1 } as const;

/** `Resets in 1h34m13s`, as agy says it. */
const readSpan = (text: string): number | undefined => {
  const span = /resets in ((?:\d+(?:\.\d+)?[hms])+)/i.exec(text)?.[1];
  if (span === undefined) return undefined;
  const parts = [...span.matchAll(/(\d+(?:\.\d+)?)([hms])/gi)];
  return parts.reduce(
    (sum, [, count, unit = "s"]) => sum + Number(count) * SECONDS[unit.toLowerCase() as keyof typeof SECONDS],
    0,
  );
};

/** Google's programs have no field for a limit: the message says "quota", and mostly how long to wait. */
export const readQuotaMessage = (message: string, now: number): RateLimit | undefined => {
  if (!/quota|RESOURCE_EXHAUSTED|rate limit/i.test(message)) return undefined;
  const after = /retry after ([\d.]+)s/i.exec(message)?.[1];
  const seconds = after === undefined ? readSpan(message) : Number(after);
  return {
    type: "rate-limit",
    message,
    ...(seconds === undefined ? {} : { resetsAtMs: now + seconds * 1000 }),
  };
};
