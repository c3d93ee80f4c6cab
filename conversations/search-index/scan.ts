import type { ContextState } from "../../agents/store.ts";
import { type IndexedPart, isDialogue, type Parts } from "./block.ts";
import type { FileHead } from "./file-head.ts";
import type { Stage } from "./query.ts";
import type { Block } from "./segment-format.ts";
import type { Interest, Segment, SegmentReader } from "./segment-reader.ts";

/** A part that matches, with where it was found. */
export type Match = {
  file: FileHead;
  part: IndexedPart;
  found: { index: number; length: number };
  /** place of the stage and tier it was found by: lower is better */
  rank: number;
  state?: ContextState | undefined;
};

/** Parts that are not in any segment yet. */
export type Pending = { file: FileHead; parts: readonly IndexedPart[] };

export type ScanRequest = {
  stages: readonly Stage[];
  segments: readonly Segment[];
  pending: readonly Pending[];
  /** the live conversation of a number, if it passes the filters */
  fileOf: (file: number) => FileHead | undefined;
  isWanted: (part: IndexedPart) => boolean;
  /** whether a conversation has all the hits it may show: its further texts are not looked at */
  isFull: (file: number) => boolean;
  /** told every match, best first and then newest first; true: enough, stop when nothing newer can come */
  onMatch: (match: Match) => void;
  /** time up to which nothing of this rank is of interest any more; -1 while everything is */
  oldestNeeded: (rank: number) => number;
};

type Cursor = { segment: SegmentReader; list: Uint32Array | undefined; at: number; head: Block | undefined };

const step = (cursor: Cursor, interest: Interest): void => {
  const { segment, list } = cursor;
  const at = segment.findBack(list, cursor.at, interest);
  cursor.head = at < 0 ? undefined : segment.block(list ? (list[at] as number) : at);
  cursor.at = at - 1;
};

const begin = (segment: SegmentReader, literals: readonly string[], interest: Interest): Cursor => {
  const list = segment.candidates(literals);
  const cursor = { segment, list, at: (list?.length ?? segment.blocks) - 1, head: undefined };
  step(cursor, interest);
  return cursor;
};

const newestOf = (cursors: readonly Cursor[]): Cursor | undefined => {
  let newest: Cursor | undefined;
  for (const cursor of cursors)
    if (cursor.head && (!newest?.head || cursor.head.atSeconds > newest.head.atSeconds)) newest = cursor;
  return newest;
};

/**
 * Blocks of interest of all segments that may match, newest first. A segment is looked into only when nothing newer
 * than its newest block is left: a search that soon has enough never touches the old ones.
 */
function* candidateBlocks(
  segments: readonly Segment[],
  literals: readonly string[],
  interest: () => Interest,
): Generator<{ segment: SegmentReader; block: Block }> {
  const waiting = [...segments].sort((a, b) => a.newestSeconds - b.newestSeconds);
  const cursors: Cursor[] = [];
  for (;;) {
    const cursor = newestOf(cursors);
    const next = waiting.at(-1);
    if (next && (!cursor?.head || next.newestSeconds > cursor.head.atSeconds)) {
      waiting.pop();
      cursors.push(begin(next.open(), literals, interest()));
    } else if (cursor?.head) {
      yield { segment: cursor.segment, block: cursor.head };
      step(cursor, interest());
    } else return;
  }
}

const matchParts = (
  { isWanted, isFull, onMatch }: ScanRequest,
  { stage, rank, file, parts }: { stage: Stage; rank: number; file: FileHead; parts: Parts },
): void => {
  for (let index = parts.length - 1; index >= 0 && !isFull(file.file); index -= 1) {
    const part = parts.at(index);
    if (!part || !isWanted(part)) continue;
    const found = stage.find(part.text);
    if (found) onMatch({ file, part, found, rank });
  }
};

/** Goes through the stages in order, what was said before what tools printed, newest first within each. */
export const scan = (request: ScanRequest): void => {
  const { stages, segments, pending, fileOf, oldestNeeded } = request;
  let rank = -1;
  for (const stage of stages)
    for (const tier of [0, 1]) {
      rank += 1;
      if (oldestNeeded(rank) === Infinity) return;
      for (const { file, parts } of pending)
        matchParts(request, {
          stage,
          rank,
          file,
          parts: parts.filter((part) => isDialogue(part) === (tier === 0)),
        });
      const interest = () => ({ tier, isFull: request.isFull, oldestNeeded: oldestNeeded(rank) });
      for (const { segment, block } of candidateBlocks(segments, stage.literals, interest)) {
        if (block.atSeconds <= oldestNeeded(rank)) break;
        const file = fileOf(block.file);
        if (!file || block.tier !== tier || request.isFull(block.file)) continue;
        matchParts(request, { stage, rank, file, parts: segment.parts(block, stage.literals) });
      }
    }
};
