import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import type { BlobStore } from "../blobs/blobs.ts";
import { isCompressible } from "../publishing/content-type.ts";
import type { ManifestEntry } from "../publishing/manifest.ts";
import type { Encoding } from "./encoding.ts";

const packBr = promisify(brotliCompress);
const packGzip = promisify(gzip);

export const MIN_PACKED_BYTES = 512;
const BEST_QUALITY_BYTES = 256 * 1024;

/** Whether a file is worth packing: by its type, and large enough that the headers do not eat the gain. */
export const isPackable = ({ contentType, size }: Pick<ManifestEntry, "contentType" | "size">): boolean =>
  size >= MIN_PACKED_BYTES && isCompressible(contentType);

const compress = async (bytes: Uint8Array, encoding: Encoding): Promise<Uint8Array> => {
  if (encoding === "gzip") return packGzip(bytes, { level: 9 });
  // Quality 11 takes seconds a megabyte; 9 is within some percent of it.
  const quality = bytes.byteLength <= BEST_QUALITY_BYTES ? 11 : 9;
  return packBr(bytes, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: quality,
      [constants.BROTLI_PARAM_SIZE_HINT]: bytes.byteLength,
    },
  });
};

export type Packer = {
  /** Packs what a deployment has not packed yet; one file after another, behind whatever is under way. */
  pack: (entries: readonly ManifestEntry[]) => Promise<void>;
  /** Begins nothing new; resolves when what was under way is done. */
  stop: () => Promise<void>;
};

/**
 * Makes the br and gzip forms of files once, in the background, at their activation. Until one is made the
 * file is sent as it is; a form that came out larger is kept empty, so that it is not tried again.
 */
export const createPacker = (
  blobs: Pick<BlobStore, "read" | "hasVariant" | "writeVariant">,
  onError: (error: unknown) => void,
): Packer => {
  let tail: Promise<void> = Promise.resolve();
  let stopped = false;

  const packOne = async ({ sha256 }: ManifestEntry): Promise<void> => {
    for (const encoding of ["br", "gzip"] as const) {
      if (stopped || (await blobs.hasVariant(sha256, encoding))) continue;
      const bytes = await blobs.read(sha256);
      const packed = await compress(bytes, encoding);
      const worth = packed.byteLength < bytes.byteLength * 0.95;
      await blobs.writeVariant(sha256, encoding, worth ? packed : new Uint8Array());
    }
  };

  return {
    pack: (entries) => {
      const work = tail.then(async () => {
        for (const entry of entries.filter(isPackable)) await packOne(entry);
      });
      tail = work.catch(onError);
      return tail;
    },
    stop: async () => {
      stopped = true;
      await tail;
    },
  };
};
