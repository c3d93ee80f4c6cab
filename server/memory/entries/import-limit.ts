import type { BodyLimit } from "../../http/body-limit.ts";

const MAX_IMPORT_BYTES = 64 * 1024 * 1024;

/** An import is the one request of the memory that may be large. */
export const memoryBodyLimit: BodyLimit = (method, path) =>
  method === "POST" && path === "/learnings/import" ? MAX_IMPORT_BYTES : undefined;
