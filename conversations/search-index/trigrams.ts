import { isAscii } from "node:buffer";

/**
 * Three bytes of lower-cased text, hashed to a bucket. Two trigrams may share a bucket: every hit is
 * checked against the text, so a shared bucket costs time and never a wrong answer.
 */
const bucketOf = (first: number, second: number, third: number, bits: number): number =>
  Math.imul((first << 16) | (second << 8) | third, 0x9e3779b1) >>> (32 - bits);

const LOWER = new Uint8Array(256).map((_, byte) => (byte >= 65 && byte <= 90 ? byte + 32 : byte));

/**
 * Beginnings of letters outside ASCII that have a lower case, as bytes read one by one. Most of what is not
 * ASCII in transcripts (arrows, ticks, lines, emoji) has none, and putting it into lower case is slow.
 */
const CASED =
  /\xC3[\x80-\x9E]|[\xC4-\xC9\xCD-\xD5\xE1]|\xE2(?:[\x84\x85\x92\x93\xB0-\xB3]|\x86\x83)|\xEA[\x99-\x9F]|\xEF\xBC|\xF0[\x90\x91\x96\x9E]/;

/** Text as it is compared: lower case, by the rules of the language runtime. */
export const foldBytes = (bytes: Buffer): Uint8Array =>
  isAscii(bytes) || !CASED.test(bytes.toString("latin1"))
    ? bytes
    : Buffer.from(bytes.toString("utf8").toLowerCase());

/** Which buckets of a block were seen already, by the number of the block. */
export type Seen = Uint16Array | Uint32Array;

/**
 * Tells every bucket of a text once per block: writes it to `out` from `length` on, which has room for as
 * many as the text has bytes, and returns the new length. The innermost loop of the build.
 */
export const addBuckets = (
  bytes: Buffer,
  {
    bits,
    seen,
    stamp,
    out,
    length,
  }: { bits: number; seen: Seen; stamp: number; out: Uint32Array; length: number },
): number => {
  const text = foldBytes(bytes);
  const shift = 32 - bits;
  let end = length;
  let three = ((LOWER[text[0] ?? 0] as number) << 8) | (LOWER[text[1] ?? 0] as number);
  for (let index = 2; index < text.length; index += 1) {
    three = ((three << 8) | (LOWER[text[index] as number] as number)) & 0xffffff;
    const bucket = Math.imul(three, 0x9e3779b1) >>> shift;
    if (seen[bucket] === stamp) continue;
    seen[bucket] = stamp;
    out[end] = bucket;
    end += 1;
  }
  return end;
};

/** Buckets that a text holding this literal must have; none for literals under three bytes. */
export const bucketsOfLiteral = (literal: string, bits: number): number[] => {
  const bytes = Buffer.from(literal.toLowerCase());
  const buckets = new Set<number>();
  for (let at = 2; at < bytes.length; at += 1)
    buckets.add(bucketOf(bytes[at - 2] ?? 0, bytes[at - 1] ?? 0, bytes[at] ?? 0, bits));
  return [...buckets];
};
