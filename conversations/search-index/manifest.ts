import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { ContextState, Source } from "../../agents/store.ts";

/** What the index knows of one conversation. */
export type IndexedFile = {
  /** its number in the segments; a conversation that was rewritten gets a new one */
  file: number;
  agent: string;
  id: string;
  path: string;
  format: Source["format"];
  sizeBytes: number;
  mtimeMs: number;
  isSubAgent: boolean;
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
  files: Map<string, IndexedFile>;
  /** stamp of every database at its last visit */
  databases: Record<string, string>;
};

/** Bump when a segment, an entry or a reader changes its meaning: older indexes are then built anew. */
const VERSION = 1;

export const emptyManifest = (): Manifest => ({
  version: VERSION,
  nextFile: 1,
  segments: [],
  dead: [],
  files: new Map(),
  databases: {},
});

export const sourceKey = ({ path, id, format }: Pick<Source, "path" | "id" | "format">): string =>
  format === "rows" ? `${path}#${id}` : path;

export const MANIFEST_NAME = "manifest.json";

export type Row = [
  number,
  string,
  string,
  string,
  string,
  number,
  number,
  number,
  number,
  number,
  number,
  string,
  string,
  string,
];

const fromRow = (row: Row): IndexedFile => ({
  file: row[0],
  agent: row[1],
  id: row[2],
  path: row[3],
  format: row[4] as Source["format"],
  sizeBytes: row[5],
  mtimeMs: row[6],
  isSubAgent: row[7] === 1,
  doneBytes: row[8],
  lines: row[9],
  entries: row[10],
  hash: row[11],
  states: row[12],
  dir: row[13],
});

type Stored = {
  version: number;
  nextFile: number;
  segments: string[];
  dead: number[];
  databases: Record<string, string>;
  files: Row[];
};

/** The manifest of an index folder; an empty one where it is missing, unreadable or of another version. */
export const readManifest = (folder: string): Manifest => {
  try {
    const stored = JSON.parse(readFileSync(join(folder, MANIFEST_NAME), "utf8")) as Stored;
    if (stored.version !== VERSION) return emptyManifest();
    const files = new Map<string, IndexedFile>();
    for (const row of stored.files) {
      const file = fromRow(row);
      files.set(sourceKey(file), file);
    }
    return { ...stored, files };
  } catch {
    return emptyManifest();
  }
};

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
