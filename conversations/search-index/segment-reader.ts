import { quickFiles } from "../../core/quick-files.ts";
import { type IndexedPart, visitParts } from "./block.ts";
import { traceLiterals } from "./find-literals.ts";
import {
  type Block,
  BLOCK_BYTES,
  decodeHeader,
  decodeList,
  HEADER_BYTES,
  sectionsOf,
} from "./segment-format.ts";
import { bucketsOf } from "./trigrams.ts";

/** Thrown when a segment is not what it was written as; the index is then built anew. */
export class DamagedSegment extends Error {
  constructor(path: string) {
    super(`${path} is damaged`);
    this.name = "DamagedSegment";
  }
}

/** Below this, looking into the texts costs less than thinning the list further. */
const FEW = 8;
/** A list of this share of the blocks rules too few out to be worth its reading. */
const NEARLY_ALL = 0.8;
/** Rows of the block table that are read at once: the newest are asked for first, and often enough. */
const ROWS = 256;
const ROW_INTS = BLOCK_BYTES / 4;
/** Rarest buckets that are intersected; what they let through by mistake the text itself rules out. */
const LISTS = 3;

const intersect = (a: Uint32Array, b: Uint32Array): Uint32Array => {
  const both = new Uint32Array(Math.min(a.length, b.length));
  let count = 0;
  for (let i = 0, j = 0; i < a.length && j < b.length;) {
    const x = a[i] as number;
    const y = b[j] as number;
    if (x === y) both[count++] = x;
    if (x <= y) i += 1;
    if (y <= x) j += 1;
  }
  return both.subarray(0, count);
};

/** Which blocks a search goes on with. */
export type Interest = {
  tier: number;
  /** conversations that have all the hits they may show */
  full: ReadonlySet<number>;
  /** what is not younger ends the search: it is of interest, whatever it is */
  oldestNeeded: number;
};

export type SegmentReader = {
  blocks: number;
  textBytes: number;
  newestSeconds: number;
  /** numbers of blocks that may hold all these literals, oldest first; undefined: any block may */
  candidates: (literals: readonly string[]) => Uint32Array | undefined;
  block: (index: number) => Block;
  /** the place from `at` down, in a list or of all blocks, of the first block that is of interest; -1: none */
  findBack: (list: Uint32Array | undefined, at: number, interest: Interest) => number;
  /** shows the parts of a block that may hold all these literals, the last one first, until it is told false */
  visit: (block: Block, literals: readonly string[], visit: (part: IndexedPart) => boolean) => void;
  close: () => void;
};

const NONE = new Uint32Array(0);

type List = { from: number; bytes: number };

/** Opens a segment; its table and lists are read only where a query needs them. */
export const openSegment = (path: string): SegmentReader => {
  const files = quickFiles();
  const handle = files.open(path);
  const readAt = (from: number, length: number): Buffer => files.read(handle, length, from);
  const lookAt = (from: number, length: number): Buffer => files.readShort(handle, length, from);
  const damaged = () => new DamagedSegment(path);
  const size = files.size(handle);
  const header = decodeHeader(lookAt(0, HEADER_BYTES), size);
  if (!header) {
    files.close(handle);
    throw damaged();
  }
  const sections = sectionsOf(header);
  let firstRow = 0;
  let rows: Uint32Array = NONE;
  const readRows = (index: number): void => {
    firstRow = index - (index % ROWS);
    const length = Math.min(ROWS, header.blocks - firstRow) * BLOCK_BYTES;
    const bytes = readAt(sections.table + firstRow * BLOCK_BYTES, length);
    if (bytes.length < length) throw damaged();
    rows = new Uint32Array(bytes.buffer, bytes.byteOffset, length / 4);
  };
  /** where in `rows` the row of a block begins */
  const rowOf = (index: number): number => {
    if (index < firstRow || index >= firstRow + rows.length / ROW_INTS) readRows(index);
    return (index - firstRow) * ROW_INTS;
  };

  const listSize = (bucket: number): List => {
    const range = lookAt(sections.directory + bucket * 4, 8);
    const from = range.readUInt32LE(0);
    const bytes = range.readUInt32LE(4) - from;
    if (bytes < 0 || from + bytes > header.postingBytes) throw damaged();
    return { from, bytes };
  };
  const readList = ({ from, bytes }: List): Uint32Array => {
    const list = decodeList(lookAt(sections.postings + from, bytes));
    if (!list || (list[list.length - 1] ?? 0) >= header.blocks) throw damaged();
    return list;
  };
  const findCandidates = (literals: readonly string[]): Uint32Array | undefined => {
    const lists: List[] = [];
    for (const bucket of bucketsOf(literals, header.bits)) {
      const list = listSize(bucket);
      if (list.bytes === 0) return NONE;
      if (list.bytes < header.blocks * NEARLY_ALL) lists.push(list);
    }
    // Shortest first: the rest only has to thin it out.
    if (lists.length > 1) lists.sort((a, b) => a.bytes - b.bytes);
    let found: Uint32Array | undefined;
    for (let at = 0; at < lists.length && at < LISTS; at += 1) {
      const list = readList(lists[at] as List);
      found = found ? intersect(found, list) : list;
      // So few are checked against their text faster than thinned further.
      if (found.length <= FEW) return found;
    }
    return found;
  };
  let asked: { literals: readonly string[]; list: Uint32Array | undefined } | undefined;
  return {
    blocks: header.blocks,
    textBytes: header.textBytes,
    newestSeconds: header.newestSeconds,
    candidates: (literals) => {
      // What was said, and then what tools printed, is asked for by the same words.
      if (asked?.literals !== literals) asked = { literals, list: findCandidates(literals) };
      return asked.list;
    },
    block: (index) => {
      const at = rowOf(index);
      const offset = rows[at] as number;
      const length = rows[at + 1] as number;
      const atSeconds = rows[at + 2] as number;
      const file = rows[at + 3] as number;
      const tier = rows[at + 4] as number;
      if (offset + length > header.textBytes) throw damaged();
      return { offset, length, atSeconds, file, tier };
    },
    // One plain loop: a word nearly everybody uses is in thousands of blocks of conversations that are full.
    findBack: (list, from, { tier, full, oldestNeeded }) => {
      for (let at = from; at >= 0; at -= 1) {
        const index = list ? (list[at] as number) : at;
        let row = (index - firstRow) * ROW_INTS;
        if (row < 0 || row >= rows.length) row = rowOf(index);
        if ((rows[row + 2] as number) <= oldestNeeded) return at;
        if (rows[row + 4] === tier && !full.has(rows[row + 3] as number)) return at;
      }
      return -1;
    },
    visit: ({ offset, length }, literals, visit) => {
      const bytes = lookAt(sections.text + offset, length);
      const trace = traceLiterals(bytes, literals);
      if (trace !== false) visitParts(bytes, { trace, visit, damaged });
    },
    close: () => files.close(handle),
  };
};

/** A segment that is opened when it is looked into. */
export type Segment = { newestSeconds: number; open: () => SegmentReader; close: () => void };

export const lazySegment = (path: string, newestSeconds: number): Segment => {
  let reader: SegmentReader | undefined;
  return { newestSeconds, open: () => (reader ??= openSegment(path)), close: () => reader?.close() };
};
