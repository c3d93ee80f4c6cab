import { closeSync, openSync, readFileSync, readSync } from "node:fs";
import { join } from "node:path";
import type { Source } from "../../agents/store.ts";
import {
  type FileDetails,
  type FileHead,
  type IndexedFile,
  MANIFEST_VERSION,
  NO_DETAILS,
} from "./file-head.ts";

export type Manifest = {
  version: number;
  nextFile: number;
  segments: string[];
  /** numbers of conversations that were rewritten or went away, and whose text segments may still hold */
  dead: number[];
  /** by `sourceKey` */
  files: Map<string, FileHead>;
  /** by number; where one is missing it is still on disk, see `detailsOf` */
  details: Map<number, FileDetails>;
  /** file beside the manifest that holds the details, and where in it those of a number are */
  detailsName: string;
  places: Map<number, readonly [number, number]>;
  /** stamp of every database at its last visit */
  databases: Record<string, string>;
};

export const MANIFEST_NAME = "manifest.json";

export const emptyManifest = (): Manifest => ({
  version: MANIFEST_VERSION,
  nextFile: 1,
  segments: [],
  dead: [],
  files: new Map(),
  details: new Map(),
  detailsName: "",
  places: new Map(),
  databases: {},
});

export const sourceKey = ({ path, id, format }: Pick<Source, "path" | "id" | "format">): string =>
  format === "rows" ? `${path}#${id}` : path;

/** The manifest as it lies on disk: columns, because a search that finds all of them unchanged reads no more. */
export type StoredManifest = {
  version: number;
  nextFile: number;
  segments: string[];
  dead: number[];
  databases: Record<string, string>;
  detailsName: string;
  /** conversations in the order in which they are listed; one value of each column belongs to one of them */
  paths: string[];
  ids: string[];
  agents: string[];
  formats: Source["format"][];
  subAgents: (0 | 1)[];
  numbers: number[];
  sizes: number[];
  dates: number[];
  offsets: number[];
  lengths: number[];
};

export const readStored = (folder: string): StoredManifest | undefined => {
  try {
    const stored = JSON.parse(readFileSync(join(folder, MANIFEST_NAME), "utf8")) as StoredManifest;
    return stored.version === MANIFEST_VERSION ? stored : undefined;
  } catch {
    return undefined;
  }
};

export const headAt = (stored: StoredManifest, row: number): FileHead => ({
  file: stored.numbers[row] ?? 0,
  agent: stored.agents[row] ?? "",
  id: stored.ids[row] ?? "",
  path: stored.paths[row] ?? "",
  format: stored.formats[row] ?? "lines",
  sizeBytes: stored.sizes[row] ?? 0,
  mtimeMs: stored.dates[row] ?? 0,
  isSubAgent: stored.subAgents[row] === 1,
});

const unpack = (stored: StoredManifest): Manifest => {
  const files = new Map<string, FileHead>();
  const places = new Map<number, readonly [number, number]>();
  for (const row of stored.numbers.keys()) {
    const head = headAt(stored, row);
    files.set(sourceKey(head), head);
    places.set(head.file, [stored.offsets[row] ?? 0, stored.lengths[row] ?? 0]);
  }
  const { version, nextFile, segments, dead, databases, detailsName } = stored;
  return { version, nextFile, segments, dead, databases, detailsName, files, places, details: new Map() };
};

/** The manifest of an index folder; an empty one where it is missing, unreadable or of another version. */
export const readManifest = (folder: string): Manifest => {
  const stored = readStored(folder);
  return stored ? unpack(stored) : emptyManifest();
};

const readAt = (handle: number, [offset, length]: readonly [number, number]): FileDetails => {
  const bytes = Buffer.alloc(length);
  readSync(handle, bytes, 0, length, offset);
  return JSON.parse(bytes.toString("utf8")) as FileDetails;
};

/** Details of one conversation, from disk. */
export const readDetails = (folder: string, stored: StoredManifest, row: number): FileDetails => {
  const handle = openSync(join(folder, stored.detailsName), "r");
  try {
    return readAt(handle, [stored.offsets[row] ?? 0, stored.lengths[row] ?? 0]);
  } finally {
    closeSync(handle);
  }
};

/** Reads details of conversations from disk where they are not in memory yet. */
export const loadDetails = (folder: string, manifest: Manifest, numbers: Iterable<number>): void => {
  const missing = [...numbers].filter((file) => !manifest.details.has(file) && manifest.places.has(file));
  if (missing.length === 0) return;
  const handle = openSync(join(folder, manifest.detailsName), "r");
  try {
    for (const file of missing)
      manifest.details.set(file, readAt(handle, manifest.places.get(file) ?? [0, 0]));
  } finally {
    closeSync(handle);
  }
};

/** A conversation with its details; without any (never indexed) it counts as wholly new. */
export const withDetails = (manifest: Manifest, head: FileHead): IndexedFile => ({
  ...(manifest.details.get(head.file) ?? NO_DETAILS),
  ...head,
});
