import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { AppError, errorText, systemCode } from "../../core/errors.ts";
import { getStore } from "../find.ts";
import type { IndexedPart } from "./block.ts";
import { collectGarbage } from "./collect-garbage.ts";
import type { FileHead } from "./file-head.ts";
import { loadDetails, type Manifest, sourceKey, withDetails } from "./manifest.ts";
import { encodeStates } from "./states.ts";
import { writeManifest } from "./write-manifest.ts";
import type { Change, Plan } from "./plan.ts";
import { type Projection, projectSource } from "./project.ts";
import { openSegment } from "./segment-reader.ts";
import { createSegmentWriter, type SegmentWriter } from "./segment-writer.ts";

/** Text of one segment; what is being built is held in memory, so this bounds it. */
const SEGMENT_TEXT_BYTES = 24 << 20;
const SMALL_SEGMENTS_AT_MOST = 8;
const SMALL_TEXT_BYTES = 4 << 20;
const DEAD_AT_MOST = 64;
const FILES_A_TURN = 16;
const COLLECT_EVERY_BYTES = 96 << 20;

export type Progress = (done: number, total: number) => void;

/** Projects one conversation; a file that went away or cannot be read meanwhile adds nothing. */
export const project = async (
  { folder, manifest, problems }: { folder: string; manifest: Manifest; problems: string[] },
  { source, known }: Change,
): Promise<Projection | undefined> => {
  if (known) loadDetails(folder, manifest, [known.file]);
  const before = known && withDetails(manifest, known);
  try {
    return await projectSource(await getStore(source.agent), source, before);
  } catch (error) {
    if (systemCode(error) === "ENOENT") return undefined;
    if (!(error instanceof AppError) && systemCode(error) === undefined) throw error;
    problems.push(`cannot read ${source.path}: ${errorText(error)}`);
    return undefined;
  }
};

/** Enters what was read of a conversation; returns its number, a new one unless it has only grown. */
export const enter = (manifest: Manifest, { source, known }: Change, projection: Projection): FileHead => {
  const goesOn = projection.isAppend && known !== undefined;
  const file = goesOn ? known.file : manifest.nextFile++;
  if (known && !goesOn) manifest.dead.push(known.file);
  const { agent, id, path, format, sizeBytes, mtimeMs } = source;
  const head = { file, agent, id, path, format, sizeBytes, mtimeMs, isSubAgent: projection.isSubAgent };
  manifest.files.set(sourceKey(source), head);
  const { doneBytes, lines, entries, hash, states, dir } = projection;
  manifest.details.set(file, {
    doneBytes,
    lines,
    entries,
    hash,
    dir,
    states: states ? encodeStates(states) : "",
  });
  return head;
};

let counter = 0;

const newName = (nowMs: number, extension: "seg" | "jsonl"): string => {
  counter += 1;
  return `${nowMs.toString(36)}-${process.pid.toString(36)}-${counter}.${extension}`;
};

type Building = { folder: string; manifest: Manifest; nowMs: number };

const flush = ({ folder, manifest, nowMs }: Building, writer: SegmentWriter): SegmentWriter => {
  if (writer.textBytes > 0) {
    const name = newName(nowMs, "seg");
    writer.write(join(folder, name));
    manifest.segments.push(name);
  }
  // After every segment: a build that is killed goes on from here.
  writeManifest(folder, manifest, newName(nowMs, "jsonl"));
  return createSegmentWriter(writer.texts);
};

const addProjection = (
  manifest: Manifest,
  change: Change,
  { projection, writer }: { projection: Projection; writer: SegmentWriter },
): void => {
  const { file } = enter(manifest, change, projection);
  for (const part of projection.parts) writer.add(file, part);
  writer.endFile();
};

/** Copies the live parts of segments into a new one and drops the rest. */
const mergeSegments = (building: Building, names: readonly string[]): void => {
  const { folder, manifest } = building;
  const live = new Set([...manifest.files.values()].map(({ file }) => file));
  manifest.segments = manifest.segments.filter((name) => !names.includes(name));
  let writer = createSegmentWriter();
  for (const name of names) {
    const reader = openSegment(join(folder, name));
    for (let index = 0; index < reader.blocks; index += 1) {
      const block = reader.block(index);
      if (!live.has(block.file)) continue;
      const parts: IndexedPart[] = [];
      reader.visit(block, [], (part) => parts.push(part) > 0);
      for (const part of parts.reverse()) writer.add(block.file, part);
      writer.endFile();
      if (writer.textBytes < SEGMENT_TEXT_BYTES) continue;
      const full = newName(building.nowMs, "seg");
      writer.write(join(folder, full));
      manifest.segments.push(full);
      writer = createSegmentWriter(writer.texts);
    }
    reader.close();
  }
  flush(building, writer);
};

const holdsDead = (folder: string, name: string, dead: ReadonlySet<number>): boolean => {
  const reader = openSegment(join(folder, name));
  try {
    for (let index = 0; index < reader.blocks; index += 1)
      if (dead.has(reader.block(index).file)) return true;
    return false;
  } finally {
    reader.close();
  }
};

const textBytesOf = (folder: string, name: string): number => {
  const reader = openSegment(join(folder, name));
  reader.close();
  return reader.textBytes;
};

const tidy = (building: Building, isPurge: boolean): void => {
  const { folder, manifest } = building;
  if (manifest.dead.length > (isPurge ? 0 : DEAD_AT_MOST)) {
    const dead = new Set(manifest.dead);
    const names = manifest.segments.filter((name) => holdsDead(folder, name, dead));
    manifest.dead = [];
    mergeSegments(building, names);
  }
  const small = manifest.segments.filter((name) => textBytesOf(folder, name) < SMALL_TEXT_BYTES);
  if (small.length > SMALL_SEGMENTS_AT_MOST) mergeSegments(building, small);
  removeLeftovers(folder, manifest);
};

/** Segments no manifest names: of merges, and of writers that were killed. Only the holder of the lock is here. */
const removeLeftovers = (folder: string, manifest: Manifest): void => {
  const kept = new Set([...manifest.segments, manifest.detailsName]);
  for (const name of readdirSync(folder))
    if (/\.(seg|jsonl|tmp)$/.test(name) && !name.includes(".lock") && !kept.has(name))
      rmSync(join(folder, name), { force: true });
};

/** In the order of the listing, so that the next search can compare the two in step. */
const inOrder = ({ files }: Manifest, { keys }: Plan): Manifest["files"] =>
  new Map(
    keys.flatMap((key) => {
      const head = files.get(key);
      return head ? [[key, head] as const] : [];
    }),
  );

/**
 * Brings the index up to date; the caller holds its lock. Oldest conversations first, in segments of
 * bounded size, each of which is there for good once it is written.
 */
export const refreshIndex = async (
  building: Building,
  { plan, progress, isPurge = false }: { plan: Plan; progress: Progress; isPurge?: boolean },
): Promise<void> => {
  const { folder, manifest } = building;
  const changed = [...plan.changed].sort((a, b) => a.source.mtimeMs - b.source.mtimeMs);
  for (const key of plan.gone) {
    const file = manifest.files.get(key);
    if (file) manifest.dead.push(file.file);
    manifest.files.delete(key);
  }
  let writer = createSegmentWriter();
  let uncollected = 0;
  for (const [index, change] of changed.entries()) {
    uncollected += change.source.sizeBytes;
    if (uncollected > COLLECT_EVERY_BYTES) {
      collectGarbage();
      uncollected = 0;
    }
    const projection = await project({ folder, manifest, problems: plan.problems }, change);
    if (projection) addProjection(manifest, change, { projection, writer });
    progress(index + 1, changed.length);
    // Whoever waits with a time limit has to hear its timer.
    if (index % FILES_A_TURN === 0) await nextTurn();
    if (writer.textBytes >= SEGMENT_TEXT_BYTES) writer = flush(building, writer);
  }
  manifest.files = inOrder(manifest, plan);
  // The stamps come last: a build that stops before this looks into the databases again.
  manifest.databases = plan.databases;
  flush({ folder, manifest, nowMs: building.nowMs }, writer);
  tidy(building, isPurge);
};
