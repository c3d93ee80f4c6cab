import type { Stage } from "../pattern.ts";
import type { IndexedPart } from "./part.ts";
import type { Block, Segment, SegmentReader } from "./segment.ts";

/** A part that matches, with where it was found. */
export type Match = {
  file: number;
  part: IndexedPart;
  found: { index: number; length: number };
  /** place of the stage and tier it was found by: lower is better */
  rank: number;
};

export type ScanRequest = {
  /** ways to look, best first */
  stages: readonly Stage[];
  /** those with the newest block first */
  segments: readonly Segment[];
  /** whether a conversation is of interest, or has all the hits it may show */
  isOpen: (file: number) => boolean;
  isWanted: (part: IndexedPart) => boolean;
  /** told every match, best first and then newest first */
  onMatch: (match: Match) => void;
  /** time up to which nothing of this rank is of interest any more; -1 while everything is */
  oldestNeeded: (rank: number) => number;
};

type Cursor = { reader: SegmentReader; list: readonly number[] | undefined; at: number; head: Block };

const headAt = ({ reader, list }: Omit<Cursor, "head" | "at">, at: number): Block =>
  reader.block(list?.[at] ?? at);

/**
 * Blocks of all segments that may hold the literals, newest first. A segment is opened only when nothing newer than
 * its newest block is left: a search that soon has enough never touches the old ones.
 */
function* newestFirst(
  segments: readonly Segment[],
  literals: readonly string[],
): Generator<{ reader: SegmentReader; block: Block }> {
  const cursors = new Set<Cursor>();
  const unopened = [...segments];
  for (;;) {
    let newest: Cursor | undefined;
    for (const cursor of cursors)
      if (!newest || cursor.head.atSeconds > newest.head.atSeconds) newest = cursor;
    const next = unopened[0];
    if (next && (!newest || next.newestSeconds > newest.head.atSeconds)) {
      unopened.shift();
      const reader = next.open();
      const list = reader.candidates(literals);
      const at = (list?.length ?? reader.blocks) - 1;
      if (at >= 0) cursors.add({ reader, list, at, head: headAt({ reader, list }, at) });
    } else if (newest) {
      yield { reader: newest.reader, block: newest.head };
      newest.at -= 1;
      if (newest.at < 0) cursors.delete(newest);
      else newest.head = headAt(newest, newest.at);
    } else return;
  }
}

/**
 * Looks through the stages in order, what was said before what tools printed, newest first within each. Pauses after
 * every block, so that whoever drives it can look at the clock.
 */
export function* scan({
  stages,
  segments,
  isOpen,
  isWanted,
  onMatch,
  oldestNeeded,
}: ScanRequest): Generator<void> {
  for (const [place, { literals, find }] of stages.entries())
    for (const tier of [0, 1]) {
      const rank = place * 2 + tier;
      if (oldestNeeded(rank) === Infinity) return;
      for (const { reader, block } of newestFirst(segments, literals)) {
        if (block.atSeconds <= oldestNeeded(rank)) break;
        if (block.tier !== tier || !isOpen(block.file)) continue;
        for (const part of reader.parts(block).toReversed()) {
          if (!isOpen(block.file)) break;
          const found = isWanted(part) ? find(part.text) : undefined;
          if (found) onMatch({ file: block.file, part, found, rank });
        }
        yield;
      }
    }
}
