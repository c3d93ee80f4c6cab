/**
 * A segment is one file that never changes once it has its name:
 * header, blocks of text, block table, directory of buckets, posting lists.
 * Blocks are numbered by time, so a posting list read from its end is newest first.
 */
export const MAGIC = 0x3153584e; // "NXS1"
export const HEADER_BYTES = 32;
/** Bits of a bucket's number at most; smaller segments have fewer. */
export const MOST_BITS = 18;
export const BLOCK_BYTES = 20; // text offset 4, text length 4, time 4, file 4, tier 4

export type SegmentHeader = {
  blocks: number;
  textBytes: number;
  bits: number;
  postingBytes: number;
  /** time of the newest block */
  newestSeconds: number;
};

/** One row of the block table. `tier` 0 holds what was said, 1 what tools were given and printed. */
export type Block = { offset: number; length: number; atSeconds: number; file: number; tier: number };

export const encodeHeader = ({
  blocks,
  textBytes,
  bits,
  postingBytes,
  newestSeconds,
}: SegmentHeader): Buffer => {
  const bytes = Buffer.alloc(HEADER_BYTES);
  for (const [index, value] of [MAGIC, blocks, textBytes, bits, postingBytes, newestSeconds].entries())
    bytes.writeUInt32LE(value, index * 4);
  bytes.writeUInt32LE(headerSum(bytes), 28);
  return bytes;
};

const headerSum = (bytes: Buffer): number => {
  let sum = 17;
  for (let at = 0; at < 28; at += 4) sum = (Math.imul(sum, 31) + bytes.readUInt32LE(at)) >>> 0;
  return sum;
};

/** Undefined when the file is no segment, is cut short, or its header was changed. */
export const decodeHeader = (bytes: Buffer, fileBytes: number): SegmentHeader | undefined => {
  if (bytes.length < HEADER_BYTES || bytes.readUInt32LE(0) !== MAGIC) return undefined;
  if (bytes.readUInt32LE(28) !== headerSum(bytes)) return undefined;
  const header = {
    blocks: bytes.readUInt32LE(4),
    textBytes: bytes.readUInt32LE(8),
    bits: bytes.readUInt32LE(12),
    postingBytes: bytes.readUInt32LE(16),
    newestSeconds: bytes.readUInt32LE(20),
  };
  return sectionsOf(header).end === fileBytes ? header : undefined;
};

export const sectionsOf = ({ blocks, textBytes, bits, postingBytes }: SegmentHeader) => {
  const table = HEADER_BYTES + textBytes;
  const directory = table + blocks * BLOCK_BYTES;
  const postings = directory + 4 * (2 ** bits + 1);
  return { text: HEADER_BYTES, table, directory, postings, end: postings + postingBytes };
};

/** A list of rising block numbers as varint gaps, with a sum of two bytes before it. */
export const encodeList = (numbers: Uint32Array, into: Buffer, at: number): number => {
  let write = at + 2;
  let last = -1;
  let sum = 0;
  // By index: iterating over a typed array is far slower on Bun.
  for (let index = 0; index < numbers.length; index += 1) {
    const number = numbers[index] as number;
    let gap = number - last;
    last = number;
    while (gap > 127) {
      into[write++] = (gap & 127) | 128;
      gap >>>= 7;
    }
    into[write++] = gap;
    sum = (sum + number + 1) & 0xffff;
  }
  into[at] = sum & 255;
  into[at + 1] = sum >>> 8;
  return write;
};

/** The numbers of a list; undefined when its sum is wrong. */
export const decodeList = (bytes: Buffer): Uint32Array | undefined => {
  if (bytes.length < 2) return bytes.length === 0 ? new Uint32Array(0) : undefined;
  const numbers = new Uint32Array(bytes.length - 2);
  let count = 0;
  let last = -1;
  let sum = 0;
  let gap = 0;
  let shift = 0;
  for (let at = 2; at < bytes.length; at += 1) {
    const byte = bytes[at] as number;
    gap |= (byte & 127) << shift;
    if (byte > 127) {
      shift += 7;
      continue;
    }
    last += gap;
    numbers[count++] = last;
    sum = (sum + last + 1) & 0xffff;
    gap = 0;
    shift = 0;
  }
  return sum === bytes.readUInt16LE(0) ? numbers.subarray(0, count) : undefined;
};
