import { encodeParts, type IndexedPart, tierOf } from "./part.ts";
import { type Block, encodeFooter, encodeList, ROW_BYTES } from "./segment.ts";
import { BUCKET_BITS, eachBucket } from "./trigrams.ts";

/** Text of one block: enough that a list of blocks stays short, little enough that looking into one is cheap. */
const BLOCK_CHARS = 8192;
const LEAST_BITS = 10;

const bitsFor = (textBytes: number): number =>
  Math.max(LEAST_BITS, Math.min(BUCKET_BITS, Math.ceil(Math.log2(textBytes / 8 + 1))));

type OpenBlock = { parts: IndexedPart[]; chars: number };
/** `from` and `to` tell its buckets. */
type DoneBlock = { file: number; tier: number; atSeconds: number; bytes: Buffer; from: number; to: number };

/** Numbers of which nobody knows before how many there will be. */
const createNumbers = () => {
  let numbers = new Uint32Array(1 << 16);
  let length = 0;
  return {
    get length() {
      return length;
    },
    push: (number: number) => {
      if (length === numbers.length) {
        const larger = new Uint32Array(length * 2);
        larger.set(numbers);
        numbers = larger;
      }
      numbers[length++] = number;
    },
    slice: (from: number, to: number) => numbers.subarray(from, to),
  };
};

type Numbers = ReturnType<typeof createNumbers>;

/** Block numbers, sorted into one list per bucket; `ends` tells where the list of each bucket ends. */
const sortByBucket = (
  blocks: readonly DoneBlock[],
  numbers: Numbers,
  { bits, buckets }: { bits: number; buckets: number },
) => {
  const shift = BUCKET_BITS - bits;
  const counts = new Uint32Array(buckets);
  const add = (to: Uint32Array, bucket: number, more: number): number => {
    const before = to[bucket] ?? 0;
    to[bucket] = before + more;
    return before;
  };
  for (const bucket of numbers.slice(0, numbers.length)) add(counts, bucket >>> shift, 1);
  let sum = 0;
  const ends = counts.map((count) => {
    sum += count;
    return sum - count;
  });
  const sorted = new Uint32Array(numbers.length);
  for (const [index, { from, to }] of blocks.entries())
    for (const bucket of numbers.slice(from, to)) sorted[add(ends, bucket >>> shift, 1)] = index;
  return { sorted, ends };
};

const encodeTable = (blocks: readonly DoneBlock[]): Buffer => {
  const table = new Uint32Array((blocks.length * ROW_BYTES) / 4);
  let offset = 0;
  for (const [index, { bytes, atSeconds, file, tier }] of blocks.entries()) {
    const row: Block = { offset, length: bytes.length, atSeconds, file, tier };
    table.set([row.offset, row.length, row.atSeconds, row.file, row.tier], index * 5);
    offset += bytes.length;
  }
  return Buffer.from(table.buffer);
};

/** @param listsAt where in the file the lists begin */
const encodeLists = (
  blocks: readonly DoneBlock[],
  numbers: Numbers,
  { bits, listsAt }: { bits: number; listsAt: number },
) => {
  const buckets = 2 ** bits;
  const { sorted, ends } = sortByBucket(blocks, numbers, { bits, buckets });
  // A gap takes three bytes at most: no segment has two million blocks.
  const lists = Buffer.allocUnsafe(sorted.length * 3 + buckets * 2);
  const directory = new Uint32Array(buckets + 1);
  let at = 0;
  for (let bucket = 0, from = 0; bucket < buckets; bucket += 1) {
    directory[bucket] = listsAt + at;
    const to = ends[bucket] ?? 0;
    if (to > from) at = encodeList(sorted.subarray(from, to), lists, at);
    from = to;
  }
  directory[buckets] = listsAt + at;
  return { lists: lists.subarray(0, at), directory: Buffer.from(directory.buffer) };
};

export type WrittenSegment = { bytes: Buffer; textBytes: number; newestSeconds: number; files: number[] };

/** Collects parts of messages for one segment. */
export const createSegmentWriter = () => {
  const done: DoneBlock[] = [];
  const open: [OpenBlock | undefined, OpenBlock | undefined] = [undefined, undefined];
  const numbers = createNumbers();
  const lastSeen = new Uint32Array(2 ** BUCKET_BITS);
  let textBytes = 0;

  const close = (file: number, tier: 0 | 1): void => {
    const block = open[tier];
    if (!block) return;
    open[tier] = undefined;
    const from = numbers.length;
    const stamp = done.length + 1;
    for (const { text } of block.parts)
      eachBucket(text, (bucket) => {
        if (lastSeen[bucket] === stamp) return;
        lastSeen[bucket] = stamp;
        numbers.push(bucket);
      });
    const atSeconds = block.parts.reduce((newest, part) => Math.max(newest, part.atSeconds), 0);
    const bytes = encodeParts(block.parts);
    textBytes += bytes.length;
    done.push({ file, tier, atSeconds, bytes, from, to: numbers.length });
  };
  return {
    get textBytes() {
      return textBytes;
    },
    /** adds what is new of a conversation, oldest first */
    add: (file: number, parts: readonly IndexedPart[]): void => {
      for (const part of parts) {
        const tier = tierOf(part);
        const block = (open[tier] ??= { parts: [], chars: 0 });
        block.parts.push(part);
        block.chars += part.text.length;
        if (block.chars >= BLOCK_CHARS) close(file, tier);
      }
      close(file, 0);
      close(file, 1);
    },
    finish: (): WrittenSegment => {
      const blocks = done.toSorted((a, b) => a.atSeconds - b.atSeconds);
      const bits = bitsFor(textBytes);
      const padding = Buffer.alloc((4 - (textBytes % 4)) % 4);
      const tableAt = textBytes + padding.length;
      const table = encodeTable(blocks);
      const { lists, directory } = encodeLists(blocks, numbers, { bits, listsAt: tableAt + table.length });
      const directoryAt = tableAt + table.length + lists.length;
      const footer = encodeFooter({ blocks: blocks.length, bits, tableAt, directoryAt });
      return {
        bytes: Buffer.concat([...blocks.map(({ bytes }) => bytes), padding, table, lists, directory, footer]),
        textBytes,
        newestSeconds: blocks.at(-1)?.atSeconds ?? 0,
        files: [...new Set(blocks.map(({ file }) => file))],
      };
    },
  };
};
