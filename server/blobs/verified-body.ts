import { createHash } from "node:crypto";
import { AppError } from "../../core/errors.ts";
import type { BlobName } from "./blobs.ts";

const mismatch = (message: string, details: Record<string, unknown>): AppError =>
  new AppError("bad-data", `Asset does not match its manifest: ${message}`, { details });

/**
 * A body, counted and hashed while it passes; it ends with an error at the first byte too many, or when all
 * of it is not what it should be. Whoever reads it to its end has the right bytes.
 * @throws AppError `bad-data`
 */
export const verified = async function* (
  { sha256, size }: BlobName,
  body: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  const hash = createHash("sha256");
  let total = 0;
  for await (const chunk of body) {
    total += chunk.byteLength;
    if (total > size) throw mismatch(`the body is longer than ${size} bytes`, { expectedSize: size });
    hash.update(chunk);
    yield chunk;
  }
  if (total !== size)
    throw mismatch(`the body has ${total} bytes, expected ${size}`, {
      expectedSize: size,
      actualSize: total,
    });
  const actual = hash.digest("hex");
  if (actual !== sha256)
    throw mismatch(`its sha256 is ${actual}, expected ${sha256}`, {
      expectedSha256: sha256,
      actualSha256: actual,
    });
};

/** The same bytes in pieces of at least `minBytes`, the last one excepted, which comes after the source's end. */
export const inParts = async function* (
  body: AsyncIterable<Uint8Array>,
  minBytes: number,
): AsyncGenerator<Uint8Array> {
  let held: Uint8Array[] = [];
  let heldBytes = 0;
  const take = (): Uint8Array => {
    const part = held.length === 1 && held[0] ? held[0] : Buffer.concat(held);
    held = [];
    heldBytes = 0;
    return part;
  };
  for await (const chunk of body) {
    held.push(chunk);
    heldBytes += chunk.byteLength;
    if (heldBytes >= minBytes) yield take();
  }
  if (heldBytes > 0) yield take();
};
