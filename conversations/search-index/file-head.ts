import type { Source } from "../../agents/store.ts";

/** Bump when a segment, an entry or a reader changes its meaning: older indexes are then built anew. */
export const MANIFEST_VERSION = 7;

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
  /** context state of every entry, a letter each; empty when it has to be looked up in the conversation */
  states: string;
  dir: string;
};

export const NO_DETAILS: FileDetails = { doneBytes: -1, lines: 0, entries: 0, hash: "", states: "", dir: "" };
