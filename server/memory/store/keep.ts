const DAY_MS = 86_400_000;

/** How long what undo, repeated requests and changed outcomes need is kept. */
export const KEEP = { journalMs: 30 * DAY_MS, idempotencyMs: 7 * DAY_MS, outcomesMs: 90 * DAY_MS };
