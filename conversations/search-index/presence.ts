import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { decodeHeader, HEADER_BYTES, MOST_BITS, sectionsOf } from "./segment-format.ts";
import { DamagedSegment } from "./segment-reader.ts";

/** A bit for every bucket that a segment can have. */
export const PRESENCE_BYTES = 2 ** MOST_BITS / 8;

/** Which buckets any of the segments has a list of: what has none is in no conversation, and no segment is opened for it. */
export const createPresence = () => {
  const bytes = Buffer.alloc(PRESENCE_BYTES);
  const directory = new Uint32Array(2 ** MOST_BITS + 1);
  /** A segment of fewer bits has the first ones of each bucket: it may hold whatever begins with them. */
  const mark = (bits: number): void => {
    const width = 2 ** (MOST_BITS - bits);
    for (let bucket = 0; bucket < 2 ** bits; bucket += 1) {
      if (directory[bucket] === directory[bucket + 1]) continue;
      for (let at = bucket * width; at < (bucket + 1) * width; at += 1)
        bytes[at >> 3] = (bytes[at >> 3] as number) | (1 << (at & 7));
    }
  };
  return {
    bytes,
    /** @returns the time of its newest block */
    add: (path: string): number => {
      const handle = openSync(path, "r");
      try {
        const head = Buffer.alloc(HEADER_BYTES);
        readSync(handle, head, 0, HEADER_BYTES, 0);
        const header = decodeHeader(head, fstatSync(handle).size);
        if (!header) throw new DamagedSegment(path);
        const length = 4 * (2 ** header.bits + 1);
        if (readSync(handle, directory, 0, length, sectionsOf(header).directory) !== length)
          throw new DamagedSegment(path);
        mark(header.bits);
        return header.newestSeconds;
      } finally {
        closeSync(handle);
      }
    },
  };
};
