import type { Learning } from "./learning.ts";
import { findBySeq, insertLearning, updateLearning } from "./learning-row.ts";
import { all, get, run, type Steps } from "../../../db/steps.ts";
import type { Change, LearningStore } from "./store.ts";

type Undone = Awaited<ReturnType<LearningStore["undo"]>>;

/** What a writer did to a learning, with the learning as it was before (undefined: it is new): undo plays it back. */
export function* record(
  { writer, at }: { writer: string; at: number },
  seq: number,
  before: Learning | undefined,
): Steps<void> {
  yield* run("INSERT INTO memory_journal (at, writer, learning_seq, before) VALUES ($1, $2, $3, $4)", [
    at,
    writer,
    seq,
    before === undefined ? null : JSON.stringify(before),
  ]);
}

export function* hasWritten(writer: string, seq: number): Steps<boolean> {
  const query = "SELECT 1 AS found FROM memory_journal WHERE learning_seq = $1 AND writer = $2 LIMIT 1";
  return (yield* get(query, [seq, writer])) !== undefined;
}

/** Plays back what a writer did since a time, outcomes too. */
export function* undo(change: Change, writer: string, since: number): Steps<Undone> {
  const entries = yield* all<{ seq: number; before: string | null }>(
    `SELECT learning_seq AS seq, before FROM memory_journal AS entry WHERE writer = $1 AND at >= $2
     ORDER BY entry.seq`,
    [writer, since],
  );
  // The oldest entry of each learning says how it was before this writer touched it.
  const oldest = new Map(entries.toReversed().map(({ seq, before }) => [seq, before]));
  const undone: Undone = { removed: [], restored: [] };
  for (const [seq, before] of [...oldest].toReversed()) {
    const id = yield* putBack(change, seq, before === null ? undefined : (JSON.parse(before) as Learning));
    if (id !== undefined) (before === null ? undone.removed : undone.restored).push(id);
  }
  yield* run("DELETE FROM memory_journal WHERE writer = $1 AND at >= $2", [writer, since]);
  yield* takeBackOutcomes(writer, since);
  return undone;
}

function* putBack({ index }: Change, seq: number, before: Learning | undefined): Steps<string | undefined> {
  const present = yield* findBySeq(seq);
  if (present) index.remove(present);
  if (!before) {
    if (present) yield* run("DELETE FROM memory_learnings WHERE seq = $1", [seq]);
    return present?.id;
  }
  // An update and not a replacement of the row, which would take its links with it; credits that came since stay.
  if (present) yield* updateLearning({ ...before, helpful: present.helpful, harmful: present.harmful });
  else yield* insertLearning(before);
  index.insert(before);
  return before.id;
}

function* takeBackOutcomes(writer: string, since: number): Steps<void> {
  const outcomes = yield* all<{ helpful: number; harmful: number; learnings: string }>(
    "SELECT helpful, harmful, learnings FROM memory_outcomes WHERE writer = $1 AND at >= $2",
    [writer, since],
  );
  for (const { helpful, harmful, learnings } of outcomes)
    for (const seq of JSON.parse(learnings) as number[])
      yield* credit(seq, { helpful: -helpful, harmful: -harmful });
  yield* run("DELETE FROM memory_outcomes WHERE writer = $1 AND at >= $2", [writer, since]);
}

/** Adds to what speaks for and against a learning; @returns its id, if it is still there */
export function* credit(seq: number, by: { helpful: number; harmful: number }): Steps<string | undefined> {
  const learning = yield* findBySeq(seq);
  if (!learning) return undefined;
  const helpful = Math.max(0, learning.helpful + by.helpful);
  const harmful = Math.max(0, learning.harmful + by.harmful);
  yield* updateLearning({ ...learning, helpful, harmful });
  return learning.id;
}
