import type { BlobStore } from "../blobs/blobs.ts";
import type { Encoding } from "./encoding.ts";

type Bytes = Uint8Array<ArrayBuffer>;

/**
 * Small bodies in memory. Keys are digests: nothing ever is stale. The oldest leave first; one that is still
 * wanted comes back from the page cache of the system, which costs less than keeping an order at every look.
 */
export type BodyCache = {
  /** What is in memory: `null` says that this coding is not worth sending, undefined that it must be loaded. */
  peek: (sha256: string, encoding?: Encoding) => Bytes | null | undefined;
  /** Loads a body; undefined when this coding has not been made yet. @throws AppError `not-found` */
  load: (sha256: string, encoding?: Encoding) => Promise<Bytes | null | undefined>;
};

/** Above this a body is sent from its file, so that one video does not push out a thousand pages. */
export const MAX_CACHED_BYTES = 1024 * 1024;

const EMPTY_COST_BYTES = 64;

const MAX_BYTES = 64 * 1024 * 1024;

export const createBodyCache = (blobs: Pick<BlobStore, "read" | "readVariant">): BodyCache => {
  const bodies = new Map<string, Bytes | null>();
  let heldBytes = 0;

  const costOf = (bytes: Bytes | null): number => (bytes?.byteLength ?? 0) + EMPTY_COST_BYTES;
  const keyOf = (sha256: string, encoding: Encoding | undefined): string =>
    encoding === undefined ? sha256 : `${sha256}.${encoding}`;

  const drop = (key: string): void => {
    const bytes = bodies.get(key);
    if (bytes !== undefined && bodies.delete(key)) heldBytes -= costOf(bytes);
  };
  const keep = (key: string, bytes: Bytes | null): void => {
    if (costOf(bytes) > MAX_CACHED_BYTES + EMPTY_COST_BYTES) return;
    drop(key);
    bodies.set(key, bytes);
    heldBytes += costOf(bytes);
    for (const oldest of bodies.keys()) {
      if (heldBytes <= MAX_BYTES) break;
      drop(oldest);
    }
  };

  return {
    peek: (sha256, encoding) => bodies.get(keyOf(sha256, encoding)),
    load: async (sha256, encoding) => {
      if (encoding === undefined) {
        const bytes = await blobs.read(sha256);
        keep(sha256, bytes);
        return bytes;
      }
      const packed = await blobs.readVariant(sha256, encoding);
      if (packed === undefined) return undefined;
      const bytes = packed.byteLength === 0 ? null : packed;
      keep(keyOf(sha256, encoding), bytes);
      return bytes;
    },
  };
};
