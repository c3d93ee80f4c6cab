/**
 * Three bytes of lower-cased text, hashed to a bucket. Two trigrams may share a bucket: every hit is
 * checked against the text, so a shared bucket costs time and never a wrong answer.
 */
const bucketOf = (first: number, second: number, third: number, bits: number): number =>
  Math.imul((first << 16) | (second << 8) | third, 0x9e3779b1) >>> (32 - bits);

/** More of them rule out nothing that these let through. */
const MOST_BUCKETS = 64;

/** Buckets that a text holding this literal must have, each once; none for literals under three bytes. */
export const bucketsOfLiteral = (literal: string, bits: number): number[] => {
  const folded = literal.toLowerCase();
  const bytes = Buffer.allocUnsafeSlow(folded.length * 3);
  const length = bytes.write(folded);
  const buckets: number[] = [];
  for (let at = 2; at < length && buckets.length < MOST_BUCKETS; at += 1) {
    const bucket = bucketOf(bytes[at - 2] as number, bytes[at - 1] as number, bytes[at] as number, bits);
    if (!buckets.includes(bucket)) buckets.push(bucket);
  }
  return buckets;
};
