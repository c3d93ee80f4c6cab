import type { BodyLimit } from "../http/body-limit.ts";
import type { Limits } from "./limits.ts";

const MAX_ARCHIVE_BYTES = 2 * 1024 ** 3;

/** The routes whose bodies are files: one asset, or a whole archive (which is streamed, never held). */
export const publishingBodyLimit =
  ({ maxFileBytes }: Limits): BodyLimit =>
  (method, path) => {
    if (method === "PUT" && /^\/api\/deployments\/[^/]+\/assets$/.test(path)) return maxFileBytes;
    return method === "POST" && path === "/api/import" ? MAX_ARCHIVE_BYTES : undefined;
  };
