import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { writeFailure } from "../../core/durable-file.ts";
import type { ConversationPorts } from "../ports.ts";
import type { Ready } from "../search-as-it-is.ts";
import { catalogOf, storedCatalog } from "./catalog.ts";
import { emptyManifest, type Manifest, readManifest, readStored } from "./manifest.ts";
import { findUnchanged, planRefresh } from "./plan.ts";
import type { Progress } from "./refresh.ts";
import { lazySegment, openSegment, type Segment } from "./segment-reader.ts";
import { readUnindexed } from "./unindexed.ts";
import { updateIndex } from "./update.ts";
import { writeFootprint } from "./write-footprint.ts";

/** Newest first. The manifest does not say how new a segment is: each is opened. */
const openAll = (folder: string, names: readonly string[]): Segment[] =>
  names
    .map((name) => {
      const path = join(folder, name);
      const reader = openSegment(path);
      reader.close();
      return lazySegment(path, reader.newestSeconds);
    })
    .sort((a, b) => b.newestSeconds - a.newestSeconds);

/** Brings the index up to date, or, when another process is doing that, reads what it lacks directly. */
export const makeReady = async (
  folder: string,
  { ports, progress }: { ports: ConversationPorts; progress: Progress },
): Promise<Ready> => {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw writeFailure(folder, error);
  }
  const stored = readStored(folder);
  const seen = stored && (await findUnchanged(stored, ports));
  if (seen) {
    const segments = openAll(folder, stored.segments);
    writeFootprint(folder, stored, seen);
    return { catalog: storedCatalog(folder, stored), segments, pending: [], scanned: 0, problems: [] };
  }
  const updated = await updateIndex(folder, { ports, progress });
  if (!updated) return readBeside(folder, readManifest(folder), ports);
  const { manifest, problems } = updated;
  const segments = openAll(folder, manifest.segments);
  return { catalog: catalogOf(folder, manifest), segments, pending: [], scanned: 0, problems };
};

const readBeside = async (folder: string, manifest: Manifest, ports: ConversationPorts): Promise<Ready> => {
  const plan = await planRefresh(manifest, ports);
  const pending = await readUnindexed(folder, manifest, plan);
  return {
    catalog: catalogOf(folder, manifest),
    segments: openAll(folder, manifest.segments),
    pending,
    scanned: pending.length,
    problems: plan.problems,
  };
};

/** Every conversation read directly: what is left when no index can be kept. */
export const readAll = (folder: string, ports: ConversationPorts): Promise<Ready> =>
  readBeside(folder, emptyManifest(), ports);
