import type { AppError, Fault } from "../../core/errors.ts";
import { ERROR_CODES } from "../../core/error-codes.ts";
import type { RequestInfo } from "./request-info.ts";

/** The body of every error answer: RFC 9457 plus `error` (the same text as `detail`) and `code`. */
export type Problem = {
  type: string;
  title: string;
  status: number;
  detail: string;
  error: string;
  code: string;
  errors: Fault[];
  requestId?: string;
};

export const PROBLEM_TYPE = "application/problem+json";

/** An `AppError` as its problem document, in the words for others; `details` of the error become members beside the fixed ones. */
export const toProblem = (error: AppError, requestId?: string): Problem & Record<string, unknown> => ({
  ...error.details,
  type: `urn:nightshift:problem:${error.code}`,
  title: ERROR_CODES[error.code].title,
  status: ERROR_CODES[error.code].status,
  detail: error.publicMessage,
  error: error.publicMessage,
  code: error.code,
  errors: error.faults.map((fault) => ({ ...fault })),
  ...(requestId === undefined ? {} : { requestId }),
});

const challenge = (error: AppError): Record<string, string> =>
  error.code === "unauthorized" ? { "www-authenticate": 'Bearer realm="nightshift"' } : {};

const retryAfter = (error: AppError): Record<string, string> => {
  const seconds = error.details["retryAfterSeconds"];
  return typeof seconds === "number" ? { "retry-after": String(Math.max(1, Math.ceil(seconds))) } : {};
};

const allow = (error: AppError): Record<string, string> => {
  const methods = error.details["allow"];
  return Array.isArray(methods) ? { allow: methods.join(", ") } : {};
};

const METHOD_NOT_ALLOWED = { status: 405, title: "The method is not allowed here" };

/** The answer to a request that failed with this error. */
export const problemResponse = (error: AppError, requestId?: string): Response => {
  const known = toProblem(error, requestId);
  const problem = Array.isArray(error.details["allow"]) ? { ...known, ...METHOD_NOT_ALLOWED } : known;
  return new Response(JSON.stringify(problem), {
    status: problem.status,
    headers: {
      "content-type": PROBLEM_TYPE,
      "cache-control": "no-store",
      ...challenge(error),
      ...retryAfter(error),
      ...allow(error),
    },
  });
};

/** The answer to this request, which failed with this error; what the answer keeps back is noted for the log. */
export const refusalResponse = (error: AppError, info: RequestInfo): Response => {
  if (error.publicMessage !== error.message) info.why = error.message;
  return problemResponse(error, info.id);
};
