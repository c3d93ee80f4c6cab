import type { ContextState } from "../../agents/store.ts";
import { type IndexedPart, isDialogue } from "./block.ts";
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
  /** ways to look, from the best on; each is made when those before it did not give enough */
  stages: readonly (() => Stage | undefined)[];
  /** those with the newest block first */
  segments: readonly Segment[];
  pending: readonly Pending[];
  /** false where no segment can hold all these literals: none is opened then */
  mayHold?: ((literals: readonly string[]) => boolean) | undefined;
  /** the live conversation of a number, if it passes the filters */
  fileOf: (file: number) => FileHead | undefined;
  isWanted: (part: IndexedPart) => boolean;
  /** conversations that have all the hits they may show: their further texts are not looked at */
  full: ReadonlySet<number>;
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

/** Undefined where no block can match. */
const begin = (
  segment: SegmentReader,
  literals: readonly string[],
  interest: Interest,
): Cursor | undefined => {
  const list = segment.candidates(literals);
  if (list?.length === 0) return undefined;
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

type Walk = {
  segments: readonly Segment[];
  literals: readonly string[];
  /** segments of which it is known that no block can match; added to */
  barren: Set<Segment>;
  interest: () => Interest;
};

/**
 * Blocks of interest of all segments that may match, newest first. A segment is looked into only when nothing newer
 * than its newest block is left: a search that soon has enough never touches the old ones. No generator, here as no
 * iterator or callback of the language's own in what every search goes through: where the runtime has them written in
 * its language, each takes up to a tenth of a millisecond to compile.
 */
const walkBlocks = ({ segments, literals, barren, interest }: Walk): (() => Cursor | undefined) => {
  let opened = 0;
  const cursors: Cursor[] = [];
  let last: Cursor | undefined;
  return () => {
    if (last) {
      step(last, interest());
      last = newestOf(cursors);
    }
    for (;;) {
      const next = segments[opened];
      if (!next || (last?.head && next.newestSeconds <= last.head.atSeconds)) return last;
      opened += 1;
      if (barren.has(next)) continue;
      const cursor = begin(next.open(), literals, interest());
      if (!cursor) barren.add(next);
      else {
        cursors.push(cursor);
        last = newestOf(cursors);
      }
    }
  };
};

/** Looks into one part; says whether its conversation may show more. */
const matchIn =
  ({ isWanted, full, onMatch }: ScanRequest, { find }: Stage, rank: number) =>
  (file: FileHead, part: IndexedPart): boolean => {
    const found = isWanted(part) ? find(part.text) : undefined;
    if (found) onMatch({ file, part, found, rank });
    return !full.has(file.file);
  };

type Tier = {
  stage: Stage;
  tier: number;
  rank: number;
  barren: Set<Segment>;
  segments: readonly Segment[];
};

const scanTier = (request: ScanRequest, { stage, tier, rank, barren, segments }: Tier): void => {
  const { pending, fileOf, full, oldestNeeded } = request;
  const match = matchIn(request, stage, rank);
  for (const { file, parts } of pending) {
    const ofTier = parts.filter((part) => isDialogue(part) === (tier === 0));
    for (let part = ofTier.pop(); part && !full.has(file.file); part = ofTier.pop()) match(file, part);
  }
  const interest = (): Interest => ({ tier, full, oldestNeeded: oldestNeeded(rank) });
  const nextBlock = walkBlocks({ segments, literals: stage.literals, barren, interest });
  for (;;) {
    const { segment, head } = nextBlock() ?? {};
    if (!segment || !head || head.atSeconds <= oldestNeeded(rank)) return;
    const file = head.tier === tier ? fileOf(head.file) : undefined;
    if (file && !full.has(head.file)) segment.visit(head, stage.literals, (part) => match(file, part));
  }
};

const TIERS = 2;

/** Goes through the stages in order, what was said before what tools printed, newest first within each. */
export const scan = (request: ScanRequest): void => {
  let rank = 0;
  for (const makeStage of request.stages) {
    if (request.oldestNeeded(rank) === Infinity) return;
    const stage = makeStage();
    if (!stage) continue;
    const barren = new Set<Segment>();
    const segments = request.mayHold?.(stage.literals) === false ? [] : request.segments;
    for (let tier = 0; tier < TIERS; tier += 1, rank += 1) {
      if (request.oldestNeeded(rank) === Infinity) return;
      scanTier(request, { stage, tier, rank, barren, segments });
    }
  }
};
