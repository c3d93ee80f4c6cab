import type { BodyLimit } from "../http/body-limit.ts";

/** A batch may hold a patch of 256 KiB in any script, and every character of it escaped. */
const MAX_BATCH_BYTES = 4 * 1024 * 1024;
const BATCH = /^\/api\/fleet\/[^/]+\/[^/]+\/events$/;

export const nightBodyLimit: BodyLimit = (method, path) =>
  method === "POST" && BATCH.test(path) ? MAX_BATCH_BYTES : undefined;
