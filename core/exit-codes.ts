/** Exit codes that are no failure's of their own (those are in error-codes.ts): 1 is a "no", 2 is left to hook protocols. */
export const EXIT = { yes: 0, no: 1, hookBlock: 2, internal: 70, interrupted: 130 } as const;
