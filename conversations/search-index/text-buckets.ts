const LOWER = new Uint8Array(256).map((_, byte) => (byte >= 65 && byte <= 90 ? byte + 32 : byte));

/**
 * Beginnings of letters outside ASCII that have a lower case, as bytes read one by one. Most of what is not
 * ASCII in transcripts (arrows, ticks, lines, emoji) has none, and putting it into lower case is slow.
 */
const CASED =
  /\xC3[\x80-\x9E]|[\xC4-\xC9\xCD-\xD5\xE1]|\xE2(?:[\x84\x85\x92\x93\xB0-\xB3]|\x86\x83)|\xEA[\x99-\x9F]|\xEF\xBC|\xF0[\x90\x91\x96\x9E]/;

/** Whether a letter that has a lower case can begin with these two bytes; told from the expression above. */
const CASED_PAIRS = new Uint8Array(1 << 16).map((_, pair) =>
  CASED.test(String.fromCharCode(pair >> 8, pair & 255)) ? 1 : 0,
);

/** LOWER with a mark on the bytes a cased letter outside ASCII begins with. */
const MAY_BE_CASED = 256;
const MARKED = Uint16Array.from(LOWER, (lower, byte) =>
  byte >= 0xc3 && (byte === 0xe2 || CASED_PAIRS.subarray(byte << 8, (byte + 1) << 8).includes(1))
    ? lower | MAY_BE_CASED
    : lower,
);

const isCasedAt = (text: Uint8Array, at: number): boolean => {
  const first = text[at] ?? 0;
  const second = text[at + 1] ?? 0;
  if (CASED_PAIRS[(first << 8) | second] === 1) return true;
  return first === 0xe2 && second === 0x86 && text[at + 2] === 0x83; // the one that three bytes tell
};

/** Text as it is compared: lower case, by the rules of the language runtime. */
const foldBytes = (bytes: Buffer): Buffer => Buffer.from(bytes.toString("utf8").toLowerCase());

/** Which buckets of a block were seen already, by the number of the block. */
export type Seen = Uint16Array | Uint32Array;

type Collecting = { bits: number; seen: Seen; stamp: number; out: Uint32Array; length: number };

/**
 * Tells every bucket of a text once per block: writes it to `out` from `length` on, which has room for as
 * many as the text has bytes in lower case, and returns the new length.
 */
export const addBuckets = (text: Buffer, collecting: Collecting): number => {
  const end = addFrom(text, MARKED, collecting);
  // What is counted already is not counted again.
  return end < 0 ? addFrom(foldBytes(text), LOWER, { ...collecting, length: ~end }) : end;
};

/**
 * The innermost loop of the build.
 * @returns the new length; the complement of it where it came to a letter that has to be folded first
 */
const addFrom = (
  text: Uint8Array,
  lower: Uint8Array | Uint16Array,
  { bits, seen, stamp, out, length }: Collecting,
): number => {
  const shift = 32 - bits;
  let end = length;
  let three = 0;
  for (let index = 0; index < text.length; index += 1) {
    const low = lower[text[index] as number] as number;
    if (low >= MAY_BE_CASED && isCasedAt(text, index)) return ~end;
    three = ((three << 8) | (low & 255)) & 0xffffff;
    if (index < 2) continue;
    const bucket = Math.imul(three, 0x9e3779b1) >>> shift;
    if (seen[bucket] === stamp) continue;
    seen[bucket] = stamp;
    out[end] = bucket;
    end += 1;
  }
  return end;
};
