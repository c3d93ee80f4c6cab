/**
 * Every way an operation can fail that a caller may want to tell apart, and what it means at the two edges:
 * what a command exits with (sysexits where one fits), and what a request is answered with (its status, and
 * the short, fixed title of RFC 9457, section 3.1.3). Where several codes share a status, a client that
 * reads one takes the first. `passes`: it goes away without anybody doing anything (a full disk, an outage, a
 * lock that somebody holds); undefined where the code alone does not say.
 */
export const ERROR_CODES = {
  "bad-data": { exit: 65, status: 400, title: "The request has invalid content", passes: false },
  usage: { exit: 64, status: 400, title: "The request is malformed", passes: false },
  "not-found": { exit: 66, status: 404, title: "There is nothing here", passes: false },
  unavailable: { exit: 69, status: 503, title: "The service is unavailable", passes: undefined },
  interrupted: { exit: 130, status: 503, title: "The server is stopping", passes: false },
  internal: { exit: 70, status: 500, title: "Internal error", passes: undefined },
  config: { exit: 78, status: 500, title: "The server is misconfigured", passes: false },
  locked: { exit: 75, status: 423, title: "The resource is locked", passes: true },
  unauthorized: { exit: 77, status: 401, title: "Authentication is required", passes: false },
  forbidden: { exit: 77, status: 403, title: "This is not allowed", passes: false },
  conflict: { exit: 75, status: 409, title: "The request conflicts with the present state", passes: false },
  "precondition-failed": { exit: 75, status: 412, title: "A precondition does not hold", passes: false },
  "too-large": { exit: 65, status: 413, title: "The request is too large", passes: false },
  "unsupported-media-type": {
    exit: 65,
    status: 415,
    title: "The media type is not supported",
    passes: false,
  },
  "rate-limited": { exit: 69, status: 429, title: "Too many requests", passes: true },
  timeout: { exit: 69, status: 408, title: "The request took too long", passes: true },
  "storage-full": { exit: 74, status: 507, title: "The storage is full", passes: true },
} as const satisfies Record<
  string,
  { exit: number; status: number; title: string; passes: boolean | undefined }
>;

export type ErrorCode = keyof typeof ERROR_CODES;

/** What an answer of this status means to a client of ours. */
export const codeOfStatus = (status: number): ErrorCode => {
  const codes = Object.keys(ERROR_CODES) as ErrorCode[];
  const own = codes.find((code) => ERROR_CODES[code].status === status);
  return own !== undefined && own !== "internal" ? own : status < 500 ? "bad-data" : "unavailable";
};
