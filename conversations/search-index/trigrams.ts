/**
 * Three bytes of lower-cased text, hashed to a bucket. Two trigrams may share a bucket: every hit is
 * checked against the text, so a shared bucket costs time and never a wrong answer.
 */
const bucketOf = (first: number, second: number, third: number, bits: number): number =>
  Math.imul((first << 16) | (second << 8) | third, 0x9e3779b1) >>> (32 - bits);

/** Buckets that a text holding this literal must have; none for literals under three bytes. */
export const bucketsOfLiteral = (literal: string, bits: number): number[] => {
  const bytes = Buffer.from(literal.toLowerCase());
  const buckets = new Set<number>();
  for (let at = 2; at < bytes.length; at += 1)
    buckets.add(bucketOf(bytes[at - 2] ?? 0, bytes[at - 1] ?? 0, bytes[at] ?? 0, bits));
  return [...buckets];
};
