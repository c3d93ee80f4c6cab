import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { removeQuietly, temporaryBeside, writeFailure } from "../../core/durable-file.ts";
import { tryLock } from "../../core/file-lock.ts";
import type { ConversationPorts } from "../ports.ts";
import {
  isPurgeMarked,
  type Manifest,
  manifestPath,
  purgeMark,
  readManifest,
  type SegmentEntry,
  type StoredManifest,
  VERSION,
} from "./manifest.ts";
import { planRefresh } from "./plan.ts";
import { type Progress, refresh, SEGMENT_TEXT_BYTES } from "./refresh.ts";
import { bytesOfFile, openSegment } from "./segment.ts";
import { createSegmentWriter, type WrittenSegment } from "./segment-writer.ts";

const SMALL_SEGMENTS_AT_MOST = 8;
const SMALL_TEXT_BYTES = 4 << 20;
const DEAD_AT_MOST = 64;

const lockIndex = (folder: string) => tryLock(join(folder, "index.lock"), { label: "search index" }).lock;

/** From now on the next update, whoever makes it, takes what was removed out of the segments at once. */
export const markPurge = (folder: string): void => writeFileSync(purgeMark(folder), "", { mode: 0o600 });

/** @throws AppError `storage-full` or `unavailable` */
const makeFolder = (folder: string): void => {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw writeFailure(folder, error);
  }
};

/**
 * Replaces a file of the index: a reader sees the old one or the new one. An index that a power cut damages is built
 * again, so nothing waits for the disk.
 * @throws AppError `storage-full` or `unavailable`
 */
const replaceFile = (path: string, content: string | Buffer): void => {
  const temporary = temporaryBeside(path);
  try {
    writeFileSync(temporary, content, { mode: 0o600 });
    renameSync(temporary, path);
  } catch (error) {
    removeQuietly(temporary); // a full disk is not made fuller by every search that tries
    throw writeFailure(path, error);
  }
};

const writeManifest = (folder: string, { conversations, ...rest }: Manifest): void => {
  const stored: StoredManifest = { version: VERSION, ...rest, conversations: [...conversations.values()] };
  replaceFile(manifestPath(folder), JSON.stringify(stored));
};

let counter = 0;

const writeSegment = (folder: string, { bytes, ...rest }: WrittenSegment): SegmentEntry => {
  const name = `${Date.now().toString(36)}-${process.pid.toString(36)}-${(counter += 1)}.seg`;
  replaceFile(join(folder, name), bytes);
  return { name, ...rest };
};

/** Copies the live parts of segments into new ones and drops the rest. */
const merge = (folder: string, manifest: Manifest, old: readonly SegmentEntry[]): void => {
  const live = new Set([...manifest.conversations.values()].map(({ file }) => file));
  const merged: SegmentEntry[] = [];
  let writer = createSegmentWriter();
  for (const { name } of old) {
    const reader = openSegment(bytesOfFile(join(folder, name)));
    for (let index = 0; index < reader.blocks; index += 1) {
      const block = reader.block(index);
      if (live.has(block.file)) writer.add(block.file, reader.parts(block));
      if (writer.textBytes < SEGMENT_TEXT_BYTES) continue;
      merged.push(writeSegment(folder, writer.finish()));
      writer = createSegmentWriter();
    }
    reader.close();
  }
  if (writer.textBytes > 0) merged.push(writeSegment(folder, writer.finish()));
  manifest.segments = [...manifest.segments.filter((each) => !old.includes(each)), ...merged];
  writeManifest(folder, manifest);
};

const tidy = (folder: string, manifest: Manifest): void => {
  const live = new Set([...manifest.conversations.values()].map(({ file }) => file));
  const deadIn = ({ files }: SegmentEntry) => files.filter((file) => !live.has(file)).length;
  const dead = manifest.segments.reduce((sum, segment) => sum + deadIn(segment), 0);
  if (dead > (isPurgeMarked(folder) ? 0 : DEAD_AT_MOST))
    merge(
      folder,
      manifest,
      manifest.segments.filter((segment) => deadIn(segment) > 0),
    );
  const small = manifest.segments.filter(({ textBytes }) => textBytes < SMALL_TEXT_BYTES);
  if (small.length > SMALL_SEGMENTS_AT_MOST) merge(folder, manifest, small);
  // Of merges, and of writers that were killed. Only the holder of the lock is here.
  const kept = new Set(manifest.segments.map(({ name }) => name));
  for (const name of readdirSync(folder))
    if (/\.(seg|jsonl|bin|tmp)$/.test(name) && !name.includes(".lock") && !kept.has(name))
      rmSync(join(folder, name), { force: true });
};

/**
 * Brings the index on disk up to date under its lock.
 * @returns the new manifest and what could not be read; undefined when another process is at it
 * @throws AppError `storage-full` or `unavailable` where it cannot be written
 */
export const updateIndex = async (
  folder: string,
  { ports, progress }: { ports: ConversationPorts; progress: Progress },
): Promise<{ manifest: Manifest; problems: string[] } | undefined> => {
  makeFolder(folder);
  const lock = lockIndex(folder);
  if (!lock) return undefined;
  try {
    // Read under the lock: the one before us may have done the work already.
    const manifest = readManifest(folder);
    const plan = await planRefresh(manifest, ports);
    // The manifest after each segment: a build that is killed goes on from there.
    const keep = (segment: WrittenSegment): void => {
      manifest.segments.push(writeSegment(folder, segment));
      writeManifest(folder, manifest);
    };
    await refresh(manifest, plan, { keep, progress });
    writeManifest(folder, manifest);
    tidy(folder, manifest);
    rmSync(purgeMark(folder), { force: true });
    return { manifest, problems: plan.problems };
  } finally {
    lock.release();
  }
};

/** Makes the next search rebuild the index; nothing when another process holds it and will see for itself. */
export const dropIndex = (folder: string): void => {
  const lock = lockIndex(folder);
  if (!lock) return;
  removeQuietly(manifestPath(folder));
  lock.release();
};
