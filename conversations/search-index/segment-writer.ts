import { closeSync, openSync, renameSync, writeSync } from "node:fs";
import { temporaryBeside } from "../../core/durable-file.ts";
import { encodePart, type IndexedPart, isDialogue, textRange } from "./block.ts";
import { BLOCK_BYTES, encodeHeader, encodeList, sectionsOf } from "./segment-format.ts";
import { addBuckets } from "./trigrams.ts";

/** Text of one block: enough that a list of blocks stays short, little enough that checking one is cheap. */
const BLOCK_TEXT_BYTES = 8192;
const MOST_BITS = 18;
const LEAST_BITS = 10;

type OpenBlock = { file: number; tier: number; atSeconds: number; pieces: Buffer[]; bytes: number };
type DoneBlock = { file: number; tier: number; atSeconds: number; bytes: Buffer };

const bitsFor = (textBytes: number): number =>
  Math.max(LEAST_BITS, Math.min(MOST_BITS, Math.ceil(Math.log2(textBytes / 8 + 1))));

type Postings = { directory: Uint32Array; bytes: Buffer };

/** Room for every bucket of every block: as many as there are bytes of text, and never more than exist. */
const roomFor = (blocks: readonly DoneBlock[], buckets: number): number =>
  blocks.reduce((sum, { bytes }) => sum + Math.min(bytes.length, buckets), 0);

/** Buckets of every block one after the other, and where each block's end. */
const collectBuckets = (blocks: readonly DoneBlock[], bits: number) => {
  const seen = new Uint32Array(2 ** bits);
  const pairs = new Uint32Array(roomFor(blocks, 2 ** bits));
  const ends = new Uint32Array(blocks.length);
  let length = 0;
  for (const [index, { bytes }] of blocks.entries()) {
    for (let at = 0; at < bytes.length;) {
      const { from, to } = textRange(bytes, at);
      length = addBuckets(bytes.subarray(from, to), { bits, seen, stamp: index + 1, out: pairs, length });
      at = to;
    }
    ends[index] = length;
  }
  return { pairs, ends, length };
};

/** Buckets of every block, sorted into one list of blocks per bucket. */
const buildPostings = (blocks: readonly DoneBlock[], bits: number): Postings => {
  const buckets = 2 ** bits;
  const { pairs, ends, length } = collectBuckets(blocks, bits);
  const counts = new Uint32Array(buckets + 1);
  for (let pair = 0; pair < length; pair += 1) {
    const next = (pairs[pair] as number) + 1;
    counts[next] = (counts[next] as number) + 1;
  }
  for (let bucket = 0; bucket < buckets; bucket += 1)
    counts[bucket + 1] = (counts[bucket + 1] as number) + (counts[bucket] as number);
  const starts = counts.slice(0, buckets);
  const sorted = new Uint32Array(length);
  for (let index = 0, pair = 0; index < blocks.length; index += 1)
    for (const end = ends[index] as number; pair < end; pair += 1) {
      const bucket = pairs[pair] as number;
      const at = starts[bucket] as number;
      sorted[at] = index;
      starts[bucket] = at + 1;
    }
  return encodePostings(sorted, counts, buckets);
};

const encodePostings = (sorted: Uint32Array, counts: Uint32Array, buckets: number): Postings => {
  // A gap under 128 takes a byte, a rare one up to five.
  const bytes = Buffer.allocUnsafe(sorted.length * 2 + buckets * 7 + 16);
  const directory = new Uint32Array(buckets + 1);
  let at = 0;
  for (let bucket = 0; bucket < buckets; bucket += 1) {
    directory[bucket] = at;
    const from = counts[bucket] as number;
    const to = counts[bucket + 1] as number;
    if (to > from) at = encodeList(sorted.subarray(from, to), bytes, at);
  }
  directory[buckets] = at;
  return { directory, bytes: bytes.subarray(0, at) };
};

const encodeTable = (blocks: readonly DoneBlock[]): Buffer => {
  const table = Buffer.allocUnsafe(blocks.length * BLOCK_BYTES);
  let offset = 0;
  for (const [index, { bytes, atSeconds, file, tier }] of blocks.entries()) {
    for (const [field, value] of [offset, bytes.length, atSeconds, file, tier].entries())
      table.writeUInt32LE(value, index * BLOCK_BYTES + field * 4);
    offset += bytes.length;
  }
  return table;
};

const asBytes = (numbers: Uint32Array): Buffer =>
  Buffer.from(numbers.buffer, numbers.byteOffset, numbers.byteLength);

/** Collects parts of messages and writes them as one segment. */
export const createSegmentWriter = () => {
  const done: DoneBlock[] = [];
  const open = new Map<number, OpenBlock>();
  let textBytes = 0;

  const close = ({ pieces, file, tier, atSeconds }: OpenBlock) => {
    done.push({
      file,
      tier,
      atSeconds,
      bytes: pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces),
    });
  };
  const endFile = () => {
    for (const block of open.values()) close(block);
    open.clear();
  };
  return {
    get textBytes() {
      return textBytes;
    },
    /** parts of one file come together; `endFile` follows the last of them */
    add: (file: number, part: IndexedPart) => {
      const tier = isDialogue(part) ? 0 : 1;
      const bytes = encodePart(part);
      const block = open.get(tier) ?? { file, tier, atSeconds: 0, pieces: [], bytes: 0 };
      block.pieces.push(bytes);
      block.bytes += bytes.length;
      block.atSeconds = Math.max(block.atSeconds, Math.trunc(part.atSeconds));
      textBytes += bytes.length;
      open.set(tier, block);
      if (block.bytes < BLOCK_TEXT_BYTES) return;
      close(block);
      open.delete(tier);
    },
    endFile,
    /** writes the segment under its name; returns its size */
    write: (path: string): number => {
      endFile();
      done.sort((a, b) => a.atSeconds - b.atSeconds);
      const bits = bitsFor(textBytes);
      const { directory, bytes } = buildPostings(done, bits);
      const newestSeconds = done.at(-1)?.atSeconds ?? 0;
      const header = { blocks: done.length, textBytes, bits, postingBytes: bytes.length, newestSeconds };
      const temporary = temporaryBeside(path);
      const handle = openSync(temporary, "wx", 0o600);
      try {
        const pieces = [
          encodeHeader(header),
          ...done.map((block) => block.bytes),
          encodeTable(done),
          asBytes(directory),
          bytes,
        ];
        for (const piece of inBatches(pieces))
          for (let at = 0; at < piece.length;) at += writeSync(handle, piece, at);
      } finally {
        closeSync(handle);
      }
      renameSync(temporary, path);
      return sectionsOf(header).end;
    },
  };
};

export type SegmentWriter = ReturnType<typeof createSegmentWriter>;

const BATCH_BYTES = 1 << 20;

/** Small pieces are written together: a segment has thousands of blocks. */
function* inBatches(pieces: readonly Buffer[]): Generator<Buffer> {
  let batch: Buffer[] = [];
  let bytes = 0;
  for (const piece of pieces) {
    batch.push(piece);
    bytes += piece.length;
    if (bytes < BATCH_BYTES) continue;
    yield batch.length === 1 ? (batch[0] as Buffer) : Buffer.concat(batch);
    batch = [];
    bytes = 0;
  }
  if (batch.length > 0) yield Buffer.concat(batch);
}
