/** What a person can be told of: by the supervisor, the steerer or the server. */
export const HAPPENINGS = [
  "complete",
  "unverified",
  "failed",
  "stalled",
  "needs-approval",
  "budget",
  "silent",
  "rate-limit",
  "all-done",
] as const;

export type Happening = (typeof HAPPENINGS)[number];
