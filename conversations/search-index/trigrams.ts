/** Bits of a bucket's number at most; smaller segments use the first of them. */
export const BUCKET_BITS = 18;

/**
 * Every three letters of a text, hashed to a bucket that others may share: a block that is in the lists of all buckets
 * of a literal may hold it, and its text is looked at. Both are in lower case.
 * @param visit is told every bucket, repeats included
 */
export const eachBucket = (text: string, visit: (bucket: number) => void): void => {
  const folded = text.toLowerCase();
  let three = 0;
  for (let at = 0; at < folded.length; at += 1) {
    three = ((three << 7) ^ folded.charCodeAt(at)) & 0x1fffff;
    if (at >= 2) visit(Math.imul(three, 0x9e3779b1) >>> (32 - BUCKET_BITS));
  }
};

/** More of a literal rule out nothing that these let through. */
const MOST_LETTERS = 64;

/** Buckets that a text with all these literals must have, each once; none for literals under three letters. */
export const bucketsOf = (literals: readonly string[]): number[] => {
  const buckets = new Set<number>();
  for (const literal of literals) eachBucket(literal.slice(0, MOST_LETTERS), (bucket) => buckets.add(bucket));
  return [...buckets];
};
