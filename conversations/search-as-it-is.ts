import type { ContextState, PartKind, Role } from "../agents/store.ts";
import { systemCode } from "../core/errors.ts";
import { nightshiftHome } from "../core/paths.ts";
import type { ConversationPorts } from "./ports.ts";
import type { Catalog } from "./search-index/catalog.ts";
import { type Collected, createCollector } from "./search-index/collector.ts";
import type { FileHead } from "./search-index/file-head.ts";
import { openFootprint } from "./search-index/footprint.ts";
import { parsePattern } from "./search-index/query.ts";
import { type Match, type Pending, scan } from "./search-index/scan.ts";
import { DamagedSegment, lazySegment, type Segment } from "./search-index/segment-reader.ts";
import { stateAt } from "./search-index/states.ts";
import { snippetAround } from "./snippet.ts";

// Nearly every search ends here: nothing of this loads the agents' code, the index builder or Node's modules.

export type SearchOptions = {
  pattern: string;
  /** conversations at most */
  limit: number;
  /** hits shown of one conversation at most */
  hitsPerConversation?: number;
  agent?: string | undefined;
  /** part of the working directory */
  project?: string | undefined;
  sinceMs?: number | undefined;
  role?: Role | undefined;
  includeSubAgents?: boolean;
};

export type SearchHit = {
  /** what `ctx forget` takes */
  message: string;
  role: Role;
  kind: PartKind;
  atMs: number;
  /** the surroundings of the hit on one line */
  snippet: string;
  context: ContextState;
};

export type SearchResult<Hit = SearchHit> = {
  conversation: string;
  agent: string;
  dir: string;
  isSubAgent: boolean;
  /** 0 is best: the phrase in what was said, then in tools; then the words in any order, likewise */
  rank: number;
  hits: Hit[];
};

export type SearchAnswer<Hit = SearchHit> = {
  results: SearchResult<Hit>[];
  conversations: number;
  /** conversations that another process is indexing right now and that were read directly */
  scanned: number;
  /** what could not be read, in words: what it holds is not in this answer */
  problems: readonly string[];
  /** why no index can be kept, in words: everything was read for this answer, which takes its time */
  noIndex?: string;
};

export const indexFolder = ({ env, home }: ConversationPorts): string =>
  `${nightshiftHome(env, home)}/search`;

/** The index, ready to be asked. */
export type Ready = {
  catalog: Catalog;
  /** newest first */
  segments: readonly Segment[];
  pending: readonly Pending[];
  /** whether any segment may hold all these literals; missing: each has to be asked */
  mayHold?: (literals: readonly string[]) => boolean;
  scanned: number;
  problems: readonly string[];
  close?: () => void;
};

/** The index as it is, when nothing has changed since the last search. */
const readyAsItIs = (folder: string, ports: ConversationPorts): Ready | undefined => {
  const footprint = openFootprint(folder, ports);
  if (!footprint?.isSame()) {
    footprint?.close();
    return undefined;
  }
  const segments: Segment[] = [];
  for (const { name, newestSeconds } of footprint.segments)
    segments.push(lazySegment(`${folder}/${name}`, newestSeconds));
  const { catalog, mayHold, close } = footprint;
  return { catalog, segments, mayHold, pending: [], scanned: 0, problems: [], close };
};

const passes = (catalog: Catalog, file: FileHead, options: SearchOptions): boolean => {
  if (options.agent !== undefined && file.agent !== options.agent) return false;
  if (file.isSubAgent && options.includeSubAgents !== true) return false;
  return options.project === undefined || catalog.details(file.file).dir.includes(options.project);
};

/** With the whole text of a hit and where in it it was found, for callers that want more than its surroundings. */
export type PassageHit = SearchHit & { text: string; found: { index: number; length: number } };

const toHit = ({ file, part, found, state }: Match): PassageHit => ({
  message: `${file.agent}:${file.id}/${part.messageId}`,
  role: part.role,
  kind: part.kind,
  atMs: part.atSeconds * 1000,
  snippet: snippetAround(part.text, found.index, found.length),
  context: state ?? "in",
  text: part.text,
  found,
});

/** Tells the hits that are shown their context states; returns those of which the index does not hold it. */
const tellStates = (catalog: Catalog, ranked: readonly Collected[]): Match[] => {
  const missing: Match[] = [];
  for (const { file, matches } of ranked) {
    const { states } = catalog.details(file.file);
    for (const match of matches) {
      match.state = stateAt(states, match.part.ordinal);
      if (match.state === undefined) missing.push(match);
    }
  }
  return missing;
};

/** What the index does not hold is looked up in the conversations. */
const lookUpStates = async (missing: readonly Match[]): Promise<void> => {
  if (missing.length === 0) return;
  const { readStates } = await import("./search-index/unindexed.ts");
  const states = await readStates(missing.map(({ file }) => file));
  for (const match of missing) match.state = states.get(match.file.file)?.get(match.part.messageId);
};

const collect = ({ catalog, segments, pending, mayHold }: Ready, options: SearchOptions): Collected[] => {
  const { limit, role, sinceMs = 0, hitsPerConversation = 3 } = options;
  const collector = createCollector({ limit, hitsPerConversation });
  const wanted: Pending[] = [];
  for (const each of pending) if (passes(catalog, each.file, options)) wanted.push(each);
  scan({
    stages: parsePattern(options.pattern),
    segments,
    pending: wanted,
    mayHold,
    fileOf: (number) => {
      const file = catalog.head(number);
      return file && passes(catalog, file, options) ? file : undefined;
    },
    isWanted: (part) => (role === undefined || part.role === role) && part.atSeconds * 1000 >= sinceMs,
    full: collector.full,
    onMatch: collector.add,
    oldestNeeded: (rank) => Math.max(collector.oldestNeeded(rank), sinceMs / 1000 - 1),
  });
  return collector.ranked();
};

const present = (
  { catalog, scanned, problems }: Ready,
  ranked: readonly Collected[],
): SearchAnswer<PassageHit> => {
  const results: SearchResult<PassageHit>[] = [];
  for (const { file, rank, matches } of ranked) {
    const hits: PassageHit[] = [];
    for (const match of matches) hits.push(toHit(match));
    results.push({
      conversation: `${file.agent}:${file.id}`,
      agent: file.agent,
      dir: catalog.details(file.file).dir,
      isSubAgent: file.isSubAgent,
      rank,
      hits,
    });
  }
  return { results, conversations: catalog.conversations, scanned, problems };
};

const close = ({ segments, close: closeIndex }: Ready): void => {
  for (const segment of segments) segment.close();
  closeIndex?.();
};

export const runQuery = async (ready: Ready, options: SearchOptions): Promise<SearchAnswer<PassageHit>> => {
  try {
    const ranked = collect(ready, options);
    await lookUpStates(tellStates(ready.catalog, ranked));
    return present(ready, ranked);
  } finally {
    close(ready);
  }
};

/** Whether the index is not what it was written as, or was changed under us: somebody has to look at it again. */
export const isLost = (error: unknown): boolean =>
  error instanceof DamagedSegment || systemCode(error) === "ENOENT";

/**
 * The answer of the index as it is, when nothing has changed on disk since it was written; undefined when
 * something has, or the index is damaged.
 */
export const searchAsItIs = async (
  options: SearchOptions,
  ports: ConversationPorts,
): Promise<SearchAnswer<PassageHit> | undefined> => {
  const ready = readyAsItIs(indexFolder(ports), ports);
  if (!ready) return undefined;
  try {
    return await runQuery(ready, options);
  } catch (error) {
    if (isLost(error)) return undefined;
    throw error;
  }
};

/**
 * The same without a wait, and therefore quicker; undefined, too, when a context state has to be looked up in its
 * conversation.
 */
export const findAsItIs = (
  options: SearchOptions,
  ports: ConversationPorts,
): SearchAnswer<PassageHit> | undefined => {
  const ready = readyAsItIs(indexFolder(ports), ports);
  if (!ready) return undefined;
  try {
    const ranked = collect(ready, options);
    return tellStates(ready.catalog, ranked).length === 0 ? present(ready, ranked) : undefined;
  } catch (error) {
    if (isLost(error)) return undefined;
    throw error;
  } finally {
    close(ready);
  }
};
