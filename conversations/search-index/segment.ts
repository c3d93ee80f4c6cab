import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { decodeParts, type IndexedPart } from "./part.ts";
import { BUCKET_BITS, bucketsOf } from "./trigrams.ts";

/**
 * A segment is one file that never changes once it has its name: blocks of parts, each of one conversation and tier,
 * numbered by time; the table of blocks; for every bucket the list of blocks that have it; the directory of the
 * lists; and a footer that says where these are.
 */
export type Footer = {
  blocks: number;
  /** bits of a bucket's number */
  bits: number;
  tableAt: number;
  directoryAt: number;
};

/** One row of the block table, five numbers: where its parts lie, time of the newest, conversation, tier. */
export type Block = { offset: number; length: number; atSeconds: number; file: number; tier: number };

export const ROW_BYTES = 20;
export const FOOTER_BYTES = 24;
const MAGIC = 0x3453584e; // "NXS4"

export const encodeFooter = ({ blocks, bits, tableAt, directoryAt }: Footer): Buffer =>
  Buffer.from(
    Uint32Array.of(blocks, bits, tableAt, directoryAt, sumOf([blocks, bits, tableAt, directoryAt]), MAGIC)
      .buffer,
  );

const sumOf = (numbers: Iterable<number>): number => {
  let sum = 17;
  for (const number of numbers) sum = (Math.imul(sum, 31) + number) >>> 0;
  return sum;
};

/** Thrown when a segment is not what it was written as; the index is then rebuilt. */
export class DamagedSegment extends Error {
  constructor(path: string) {
    super(`${path} is damaged`);
    this.name = "DamagedSegment";
  }
}

/** Where the bytes of a segment come from: a file, or memory where none could be written. */
export type Bytes = {
  name: string;
  size: number;
  read: (from: number, length: number) => Buffer;
  close: () => void;
};

export const bytesOfFile = (path: string): Bytes => {
  const handle = openSync(path, "r");
  const read = (from: number, length: number): Buffer => {
    const bytes = Buffer.allocUnsafeSlow(length);
    let done = 0;
    for (let got = -1; got !== 0 && done < length; done += got)
      got = readSync(handle, bytes, done, length - done, from + done);
    if (done < length) throw new DamagedSegment(path);
    return bytes;
  };
  return { name: path, size: fstatSync(handle).size, read, close: () => closeSync(handle) };
};

export const bytesInMemory = (bytes: Buffer): Bytes => ({
  name: "a segment in memory",
  size: bytes.length,
  read: (from, length) => bytes.subarray(from, from + length),
  close: () => {},
});

/** Rising block numbers as gaps of seven bits a byte; two bytes before them tell a damaged list. */
export const encodeList = (numbers: Uint32Array, into: Buffer, at: number): number => {
  let write = at + 2;
  let last = -1;
  let sum = 0;
  for (const number of numbers) {
    // Two buckets may become one in a segment of fewer bits.
    if (number === last) continue;
    let gap = number - last;
    last = number;
    for (; gap > 127; gap >>>= 7) into[write++] = (gap & 127) | 128;
    into[write++] = gap;
    sum += number + 1;
  }
  into.writeUInt16LE(sum & 0xffff, at);
  return write;
};

/** Undefined when the sum is wrong. */
const decodeList = (bytes: Buffer): number[] | undefined => {
  const numbers: number[] = [];
  let last = -1;
  let sum = 0;
  let gap = 0;
  let shift = 0;
  for (let at = 2; at < bytes.length; at += 1) {
    const byte = bytes[at] as number;
    gap |= (byte & 127) << shift;
    shift += 7;
    if (byte > 127) continue;
    last += gap;
    numbers.push(last);
    sum += last + 1;
    gap = 0;
    shift = 0;
  }
  return bytes.length >= 2 && (sum & 0xffff) === bytes.readUInt16LE(0) ? numbers : undefined;
};

/** Below this, looking into the texts costs less than thinning the list further. */
const FEW = 8;

export type SegmentReader = {
  blocks: number;
  block: (index: number) => Block;
  /** parts of a block, oldest first */
  parts: (block: Block) => IndexedPart[];
  /** numbers of blocks that may hold all these literals, oldest first; undefined: any may */
  candidates: (literals: readonly string[]) => readonly number[] | undefined;
  close: () => void;
};

/** @throws DamagedSegment when the bytes are no whole segment */
export const openSegment = (bytes: Bytes): SegmentReader => {
  const damaged = () => new DamagedSegment(bytes.name);
  const numbersAt = (from: number, count: number): Uint32Array => {
    const { buffer, byteOffset } = bytes.read(from, count * 4);
    return byteOffset % 4 === 0
      ? new Uint32Array(buffer, byteOffset, count)
      : new Uint32Array(buffer.slice(byteOffset, byteOffset + count * 4));
  };
  if (bytes.size < FOOTER_BYTES) throw damaged();
  const [blocks = 0, bits = 0, tableAt = 0, directoryAt = 0, sum, magic] = numbersAt(
    bytes.size - FOOTER_BYTES,
    FOOTER_BYTES / 4,
  );
  const end = directoryAt + (2 ** bits + 1) * 4 + FOOTER_BYTES;
  if (magic !== MAGIC || sum !== sumOf([blocks, bits, tableAt, directoryAt]) || end !== bytes.size)
    throw damaged();
  const table = numbersAt(tableAt, (blocks * ROW_BYTES) / 4);
  /** where the list of a bucket begins and ends; places are of the file, so that zeros are no list */
  const rangeOf = (bucket: number): [from: number, to: number] => {
    const [from = 0, to = 0] = numbersAt(directoryAt + (bucket >>> (BUCKET_BITS - bits)) * 4, 2);
    if (from < tableAt || to < from || to > directoryAt) throw damaged();
    return [from, to];
  };
  return {
    blocks,
    block: (index) => {
      const [offset = 0, length = 0, atSeconds = 0, file = 0, tier = 0] = table.subarray(
        index * 5,
        index * 5 + 5,
      );
      return { offset, length, atSeconds, file, tier };
    },
    parts: ({ offset, length }) => {
      if (offset + length > tableAt) throw damaged();
      try {
        return decodeParts(bytes.read(offset, length));
      } catch {
        throw damaged();
      }
    },
    candidates: (literals) => {
      const ranges = bucketsOf(literals).map(rangeOf);
      // Shortest first: the rest only has to thin it out.
      ranges.sort(([from, to], [from2, to2]) => to - from - (to2 - from2));
      let found: number[] | undefined;
      for (const [from, to] of ranges) {
        if (from === to) return [];
        const list = decodeList(bytes.read(from, to - from));
        if (!list || (list.at(-1) ?? 0) >= blocks) throw damaged();
        const own = new Set(list);
        found = found ? found.filter((number) => own.has(number)) : list;
        if (found.length <= FEW) return found;
      }
      return found;
    },
    close: bytes.close,
  };
};

/** A segment that is opened when it is looked into. */
export type Segment = { newestSeconds: number; open: () => SegmentReader; close: () => void };

export const lazySegment = (newestSeconds: number, bytes: () => Bytes): Segment => {
  let reader: SegmentReader | undefined;
  return { newestSeconds, open: () => (reader ??= openSegment(bytes())), close: () => reader?.close() };
};
