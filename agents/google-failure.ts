import type { TurnEnd } from "./event-stream.ts";

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
export const readFailure = (
  message: string,
  now: number,
): Pick<TurnEnd, "reason" | "message" | "resetsAtMs"> => {
  if (!/quota|RESOURCE_EXHAUSTED|rate limit/i.test(message)) return { reason: "error", message };
  const after = /retry after ([\d.]+)s/i.exec(message)?.[1];
  const seconds = after === undefined ? readSpan(message) : Number(after);
  const end = { reason: "rate-limit", message } as const;
  return seconds === undefined ? end : { ...end, resetsAtMs: now + seconds * 1000 };
};
