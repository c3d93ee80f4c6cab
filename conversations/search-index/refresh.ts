import { setImmediate as nextTurn } from "node:timers/promises";
import { AppError, errorText, systemCode } from "../../core/errors.ts";
import { getStore } from "../find.ts";
import { type IndexedConversation, type Manifest, sourceKey } from "./manifest.ts";
import type { Change, Plan } from "./plan.ts";
import { type Projection, projectSource } from "./project.ts";
import { createSegmentWriter, type WrittenSegment } from "./segment-writer.ts";

/** Text of one segment; what is being built is held in memory, so this bounds it. */
export const SEGMENT_TEXT_BYTES = 24 << 20;
const FILES_A_TURN = 16;

export type Progress = (done: number, total: number) => void;

/** Reads one conversation; one that went away or cannot be read meanwhile adds nothing. */
const read = async ({ source, known }: Change, problems: string[]): Promise<Projection | undefined> => {
  try {
    return await projectSource(await getStore(source.agent), source, known);
  } catch (error) {
    if (systemCode(error) === "ENOENT") return undefined;
    if (!(error instanceof AppError) && systemCode(error) === undefined) throw error;
    problems.push(`cannot read ${source.path}: ${errorText(error)}`);
    return undefined;
  }
};

/** Enters what was read of a conversation, under a new number unless it has only grown. */
const enter = (
  manifest: Manifest,
  { source, known }: Change,
  projection: Projection,
): IndexedConversation => {
  const { isAppend, parts: _, ...rest } = projection;
  const { agent, id, path, format, stamp } = source;
  const file = isAppend && known ? known.file : manifest.nextFile++;
  const entered = { file, agent, id, path, format, stamp, ...rest };
  manifest.conversations.set(sourceKey(source), entered);
  return entered;
};

/**
 * Makes a manifest agree with what is on disk, and hands over what is new as segments of bounded size, the oldest
 * conversations first.
 * @param keep is told each segment as soon as it is full: it and what the manifest says by then belong together
 */
export const refresh = async (
  manifest: Manifest,
  plan: Plan,
  { keep, progress }: { keep: (segment: WrittenSegment) => void; progress: Progress },
): Promise<void> => {
  for (const key of plan.gone) manifest.conversations.delete(key);
  const changed = plan.changed.toSorted((a, b) => a.source.mtimeMs - b.source.mtimeMs);
  let writer = createSegmentWriter();
  for (const [index, change] of changed.entries()) {
    const projection = await read(change, plan.problems);
    if (projection) writer.add(enter(manifest, change, projection).file, projection.parts);
    else manifest.conversations.delete(sourceKey(change.source));
    progress(index + 1, changed.length);
    // Whoever waits with a time limit has to hear its timer.
    if (index % FILES_A_TURN === 0) await nextTurn();
    if (writer.textBytes < SEGMENT_TEXT_BYTES) continue;
    keep(writer.finish());
    writer = createSegmentWriter();
  }
  // The stamps come last: a build that stops before this looks into the databases again.
  manifest.databases = plan.databases;
  if (writer.textBytes > 0) keep(writer.finish());
};
