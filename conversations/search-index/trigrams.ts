/** More of them rule out nothing that these let through. */
const MOST_BUCKETS = 64;

/**
 * Buckets that a text holding this literal must have, each once; none for literals under three bytes. Three bytes of
 * lower-cased text are hashed to a bucket, which others may share: every hit is checked against the text, so that
 * costs time and never a wrong answer.
 */
export const bucketsOfLiteral = (literal: string, bits: number): number[] => {
  const folded = literal.toLowerCase();
  const bytes = Buffer.allocUnsafeSlow(folded.length * 3);
  const length = bytes.write(folded);
  const buckets: number[] = [];
  let three = 0;
  for (let at = 0; at < length && buckets.length < MOST_BUCKETS; at += 1) {
    three = ((three << 8) | (bytes[at] as number)) & 0xffffff;
    const bucket = Math.imul(three, 0x9e3779b1) >>> (32 - bits);
    if (at >= 2 && !buckets.includes(bucket)) buckets.push(bucket);
  }
  return buckets;
};
