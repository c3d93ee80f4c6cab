import type { ErrorCode } from "./errors.ts";

/** Exit codes of every command: sysexits where one fits, 1 for a "no", 2 left to hook protocols. */
export const EXIT = { yes: 0, no: 1, hookBlock: 2, internal: 70, interrupted: 130 } as const;

/** What a command that ends with an `AppError` of this code exits with. */
export const EXIT_CODES: Record<ErrorCode, number> = {
  usage: 64,
  "bad-data": 65,
  "not-found": 66,
  unavailable: 69,
  internal: 70,
  locked: 75,
  config: 78,
  interrupted: 130,
  unauthorized: 77,
  forbidden: 77,
  conflict: 75,
  "precondition-failed": 75,
  "too-large": 65,
  "unsupported-media-type": 65,
  "rate-limited": 69,
  timeout: 69,
  "storage-full": 74,
};
