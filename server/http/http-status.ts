import type { ErrorCode } from "../../core/errors.ts";

/** What a request that ends with an `AppError` of this code is answered with. */
export const HTTP_STATUS: Record<ErrorCode, number> = {
  usage: 400,
  "bad-data": 400,
  "not-found": 404,
  unavailable: 503,
  internal: 500,
  locked: 423,
  config: 500,
  interrupted: 503,
  unauthorized: 401,
  forbidden: 403,
  conflict: 409,
  "precondition-failed": 412,
  "too-large": 413,
  "unsupported-media-type": 415,
  "rate-limited": 429,
  timeout: 408,
  "storage-full": 507,
};

/** The short, fixed title of a problem of this code (RFC 9457, section 3.1.3). */
export const PROBLEM_TITLE: Record<ErrorCode, string> = {
  usage: "The request is malformed",
  "bad-data": "The request has invalid content",
  "not-found": "There is nothing here",
  unavailable: "The service is unavailable",
  internal: "Internal error",
  locked: "The resource is locked",
  config: "The server is misconfigured",
  interrupted: "The server is stopping",
  unauthorized: "Authentication is required",
  forbidden: "This is not allowed",
  conflict: "The request conflicts with the present state",
  "precondition-failed": "A precondition does not hold",
  "too-large": "The request is too large",
  "unsupported-media-type": "The media type is not supported",
  "rate-limited": "Too many requests",
  timeout: "The request took too long",
  "storage-full": "The storage is full",
};
