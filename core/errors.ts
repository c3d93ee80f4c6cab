import type { ErrorCode } from "./error-codes.ts";

/** One fault of an input: where it is (`path`, JSON-pointer like) and what is wrong with it. */
export type Fault = { path: string; message: string };

/**
 * An expected failure. The message names the thing, the value and the next step; `faults` lists every
 * problem of an input at once. Where the message names what is nobody's business outside of this machine
 * (paths, hosts, users), `publicMessage` is what a caller over the network reads in its place. Whatever is
 * thrown and is not an `AppError` is a bug of ours.
 */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly publicMessage: string;
  readonly faults: readonly Fault[];
  readonly details: Readonly<Record<string, unknown>>;

  constructor(
    code: ErrorCode,
    message: string,
    options: {
      cause?: unknown;
      publicMessage?: string;
      faults?: readonly Fault[];
      details?: Record<string, unknown>;
    } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "AppError";
    this.code = code;
    this.publicMessage = options.publicMessage ?? message;
    this.faults = options.faults ?? [];
    this.details = options.details ?? {};
  }
}

/** The text of whatever was thrown, for a log line or a wrapped message. */
export const errorText = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** What lies under a failure of another's code, as that of `fetch`, which itself says only that it failed. */
export const causeText = (error: unknown): string =>
  error instanceof Error && !(error instanceof AppError) && error.cause instanceof Error
    ? error.cause.message || errorText(error)
    : errorText(error);

/** The `code` of a Node system error (`ENOENT`, `EACCES`, …), if it is one. */
export const systemCode = (error: unknown): string | undefined =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;

/** Somebody asked for the end of it: neither a failure nor an answer. */
export const isInterruption = (error: unknown): boolean =>
  error instanceof AppError && error.code === "interrupted";
