import { closeSync, openSync, readFileSync, readSync } from "node:fs";
import { join } from "node:path";
import type { ContextState, Source } from "../../agents/store.ts";

/** What the index knows of one conversation. */
export type IndexedFile = FileHead & FileDetails;

/** The part every search reads for every conversation. */
export type FileHead = {
  /** its number in the segments; a conversation that was rewritten gets a new one */
  file: number;
  agent: string;
  id: string;
  path: string;
  format: Source["format"];
  sizeBytes: number;
  mtimeMs: number;
  isSubAgent: boolean;
};

/** The part that is read only for conversations that have changed, or are shown. */
export type FileDetails = {
  /** bytes and lines that are indexed, and the hash of those bytes: the rest is an append if it still fits */
  doneBytes: number;
  lines: number;
  entries: number;
  hash: string;
  /** context state of every entry as runs (`i40c12`); empty when it has to be looked up in the conversation */
  states: string;
  dir: string;
};

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

/** Bump when a segment, an entry or a reader changes its meaning: older indexes are then built anew. */
export const MANIFEST_VERSION = 3;
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

export const NO_DETAILS: FileDetails = { doneBytes: -1, lines: 0, entries: 0, hash: "", states: "", dir: "" };

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

const LETTERS: Record<ContextState, string> = {
  in: "i",
  compacted: "c",
  branch: "b",
  excluded: "x",
  cleared: "e",
  sidechain: "s",
  "not-sent": "n",
};
const STATES = Object.fromEntries(
  Object.entries(LETTERS).map(([state, letter]) => [letter, state as ContextState]),
);

/** States of entries in order, as runs: `i40c12`. */
export const encodeStates = (states: readonly ContextState[]): string => {
  let text = "";
  for (let from = 0; from < states.length;) {
    const state = states[from] as ContextState;
    let to = from;
    while (to < states.length && states[to] === state) to += 1;
    text += `${LETTERS[state]}${to - from}`;
    from = to;
  }
  return text;
};

/** The state of one entry; undefined when it is not recorded. */
export const stateAt = (runs: string, ordinal: number): ContextState | undefined => {
  let at = 0;
  for (const [, letter, length] of runs.matchAll(/([a-z])(\d+)/g)) {
    at += Number(length);
    if (ordinal < at) return STATES[letter ?? ""];
  }
  return undefined;
};
