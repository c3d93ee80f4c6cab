import { closeSync, openSync, renameSync, writeSync, writevSync } from "node:fs";
import { removeQuietly, temporaryBeside, writeFailure } from "../../core/durable-file.ts";
import { encodePart, type IndexedPart, isDialogue, mostBytesOf, textRange } from "./block.ts";
import { BLOCK_BYTES, encodeHeader, encodeList, MOST_BITS, sectionsOf } from "./segment-format.ts";
import { addBuckets } from "./text-buckets.ts";

/** Text of one block: enough that a list of blocks stays short, little enough that checking one is cheap. */
const BLOCK_TEXT_BYTES = 8192;
const LEAST_BITS = 10;

type OpenBlock = { file: number; atSeconds: number; from: number };
type DoneBlock = { file: number; tier: number; atSeconds: number; bytes: Buffer };

const bitsFor = (textBytes: number): number =>
  Math.max(LEAST_BITS, Math.min(MOST_BITS, Math.ceil(Math.log2(textBytes / 8 + 1))));

type Postings = { directory: Uint32Array; bytes: Buffer };

/** Room for the buckets of another block; every second byte or so is a new one, and nobody knows before. */
const withRoom = (
  pairs: Uint32Array<ArrayBuffer>,
  length: number,
  more: number,
): Uint32Array<ArrayBuffer> => {
  if (length + more <= pairs.length) return pairs;
  const larger = new Uint32Array(Math.max(length + more, Math.ceil(pairs.length * 1.5)));
  larger.set(pairs.subarray(0, length));
  return larger;
};

/** Buckets of every block one after the other, and where each block's end. */
const collectBuckets = (blocks: readonly DoneBlock[], bits: number) => {
  // The smaller it is, the more of it stays in the processor's cache.
  const seen = blocks.length < 0xffff ? new Uint16Array(2 ** bits) : new Uint32Array(2 ** bits);
  const textBytes = blocks.reduce((sum, { bytes }) => sum + bytes.length, 0);
  let pairs = new Uint32Array(Math.ceil(textBytes * 0.4));
  const ends = new Uint32Array(blocks.length);
  let length = 0;
  for (const [index, { bytes }] of blocks.entries()) {
    // Half as long again at most in lower case (Ⱥ).
    pairs = withRoom(pairs, length, Math.min(bytes.length * 2, 2 ** bits));
    for (let end = bytes.length; end > 0;) {
      const { start, from, to } = textRange(bytes, end);
      length = addBuckets(bytes.subarray(from, to), { bits, seen, stamp: index + 1, out: pairs, length });
      end = start;
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

/** Text of one tier, block after block; it grows, and is used again for the next segment. */
export type TierText = { bytes: Buffer; length: number };

const FIRST_TEXT_BYTES = 1 << 20;

const makeRoom = (text: TierText, bytes: number): void => {
  if (text.length + bytes <= text.bytes.length) return;
  const larger = Buffer.allocUnsafeSlow(
    Math.max(text.bytes.length * 2, text.length + bytes, FIRST_TEXT_BYTES),
  );
  text.bytes.copy(larger, 0, 0, text.length);
  text.bytes = larger;
};

const emptyTexts = (): [TierText, TierText] => [
  { bytes: Buffer.alloc(0), length: 0 },
  { bytes: Buffer.alloc(0), length: 0 },
];

type Placed = { tier: number; file: number; atSeconds: number; from: number; to: number };

/**
 * Collects parts of messages and writes them as one segment.
 * @param texts of a writer that is done with, to use their room again
 */
export const createSegmentWriter = (texts: [TierText, TierText] = emptyTexts()) => {
  const placed: Placed[] = [];
  const open: (OpenBlock | undefined)[] = [undefined, undefined];
  for (const text of texts) text.length = 0;

  const close = (tier: 0 | 1) => {
    const block = open[tier];
    if (!block) return;
    placed.push({ ...block, tier, to: texts[tier].length });
    open[tier] = undefined;
  };
  const endFile = () => {
    close(0);
    close(1);
  };
  const textBytes = () => texts[0].length + texts[1].length;
  return {
    texts,
    get textBytes() {
      return textBytes();
    },
    /** parts of one file come together; `endFile` follows the last of them */
    add: (file: number, part: IndexedPart) => {
      const tier = isDialogue(part) ? 0 : 1;
      const text = texts[tier];
      makeRoom(text, mostBytesOf(part));
      const block = (open[tier] ??= { file, atSeconds: 0, from: text.length });
      block.atSeconds = Math.max(block.atSeconds, Math.trunc(part.atSeconds));
      text.length = encodePart(text.bytes, text.length, part);
      if (text.length - block.from >= BLOCK_TEXT_BYTES) close(tier);
    },
    endFile,
    /** writes the segment under its name; returns its size */
    write: (path: string): number => {
      endFile();
      const done = placed
        .map(({ from, to, ...block }): DoneBlock => ({
          ...block,
          bytes: texts[block.tier as 0 | 1].bytes.subarray(from, to),
        }))
        .sort((a, b) => a.atSeconds - b.atSeconds);
      const bits = bitsFor(textBytes());
      const { directory, bytes } = buildPostings(done, bits);
      const newestSeconds = done.at(-1)?.atSeconds ?? 0;
      const header = {
        blocks: done.length,
        textBytes: textBytes(),
        bits,
        postingBytes: bytes.length,
        newestSeconds,
      };
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
        writeAll(handle, pieces);
      } catch (error) {
        // A full disk is not made fuller by every search that tries.
        removeQuietly(temporary);
        throw writeFailure(path, error);
      } finally {
        closeSync(handle);
      }
      renameSync(temporary, path);
      return sectionsOf(header).end;
    },
  };
};

export type SegmentWriter = ReturnType<typeof createSegmentWriter>;

/** As many as one call of the system takes. */
const BATCH_PIECES = 512;

/** Thousands of blocks, written from where they lie. */
const writeAll = (handle: number, pieces: readonly Buffer[]): void => {
  for (let from = 0; from < pieces.length; from += BATCH_PIECES) {
    const batch = pieces.slice(from, from + BATCH_PIECES);
    const bytes = batch.reduce((sum, piece) => sum + piece.length, 0);
    let written = writevSync(handle, batch);
    if (written === bytes) continue;
    // A disk that is nearly full takes a part: the rest goes alone, and fails as it has to.
    for (const piece of batch) {
      const done = Math.min(written, piece.length);
      written -= done;
      for (let at = done; at < piece.length;) at += writeSync(handle, piece, at);
    }
  }
};
