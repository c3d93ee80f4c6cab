/** More of a literal rule out nothing that these let through. */
const MOST_BUCKETS = 64;

const addBuckets = (literal: string, bits: number, buckets: number[]): void => {
  const folded = literal.toLowerCase();
  const bytes = Buffer.allocUnsafeSlow(folded.length * 3);
  const length = bytes.write(folded);
  const most = buckets.length + MOST_BUCKETS;
  let three = 0;
  for (let at = 0; at < length && buckets.length < most; at += 1) {
    three = ((three << 8) | (bytes[at] as number)) & 0xffffff;
    const bucket = Math.imul(three, 0x9e3779b1) >>> (32 - bits);
    if (at >= 2 && !buckets.includes(bucket)) buckets.push(bucket);
  }
};

type Asked = { literals: readonly string[]; bits: number; buckets: readonly number[] };

/** One segment after the other is asked for the same words. */
let last: Asked | undefined;

/**
 * Buckets that a text holding all these literals must have, each once; none for literals under three bytes. Three
 * bytes of lower-cased text are hashed to a bucket, which others may share: every hit is checked against the text, so
 * that costs time and never a wrong answer.
 */
export const bucketsOf = (literals: readonly string[], bits: number): readonly number[] => {
  if (last?.literals === literals && last.bits === bits) return last.buckets;
  const buckets: number[] = [];
  for (const literal of literals) addBuckets(literal, bits, buckets);
  last = { literals, bits, buckets };
  return buckets;
};
