import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Source } from "../../agents/store.ts";
import { nightshiftHome } from "../../core/paths.ts";
import type { ConversationPorts } from "../ports.ts";

/** Bump when a segment or an entry changes its meaning: older indexes are then rebuilt. */
export const VERSION = 8;

/** What the index knows of one conversation. */
export type IndexedConversation = {
  /** its number in the segments; a conversation that was rewritten gets a new one */
  file: number;
  agent: string;
  id: string;
  path: string;
  format: Source["format"];
  /** as its source was when it was read: the conversation is unchanged while this is */
  stamp: string;
  isSubAgent: boolean;
  /** bytes that are indexed and their checksum: the rest is an append if they are still the same */
  doneBytes: number;
  checksum: number;
  entries: number;
  /** context state of every entry, a letter each */
  states: string;
  dir: string;
};

export type SegmentEntry = {
  name: string;
  textBytes: number;
  newestSeconds: number;
  /** numbers of the conversations it has text of */
  files: readonly number[];
};

export type Manifest = {
  nextFile: number;
  segments: SegmentEntry[];
  /** by `sourceKey` */
  conversations: Map<string, IndexedConversation>;
  /** stamp of every database at its last visit */
  databases: Record<string, string>;
};

export type StoredManifest = Omit<Manifest, "conversations"> & {
  version: number;
  conversations: IndexedConversation[];
};

export const indexFolder = ({ env, home }: ConversationPorts): string =>
  join(nightshiftHome(env, home), "search");

export const purgeMark = (folder: string): string => join(folder, "purge");

/** Whether what was removed has to leave the segments at the next update. */
export const isPurgeMarked = (folder: string): boolean => existsSync(purgeMark(folder));

export const manifestPath = (folder: string): string => join(folder, "manifest.json");

export const sourceKey = ({ path, id, format }: Pick<Source, "path" | "id" | "format">): string =>
  format === "rows" ? `${path}#${id}` : path;

export const emptyManifest = (): Manifest => ({
  nextFile: 1,
  segments: [],
  conversations: new Map(),
  databases: {},
});

/** The manifest of an index folder; an empty one where it is missing, unreadable or of another version. */
export const readManifest = (folder: string): Manifest => {
  try {
    const { version, ...stored } = JSON.parse(readFileSync(manifestPath(folder), "utf8")) as StoredManifest;
    if (version !== VERSION) return emptyManifest();
    return { ...stored, conversations: new Map(stored.conversations.map((each) => [sourceKey(each), each])) };
  } catch {
    return emptyManifest();
  }
};
