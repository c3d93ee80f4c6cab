import type { ContextState, PartKind, Role } from "../agents/store.ts";
import { systemCode } from "../core/errors.ts";
import { nightshiftHome } from "../core/paths.ts";
import type { ConversationPorts } from "./ports.ts";
import type { Catalog } from "./search-index/catalog.ts";
import { createCollector } from "./search-index/collector.ts";
import type { FileHead } from "./search-index/file-head.ts";
import { openFootprint } from "./search-index/footprint.ts";
import { parsePattern } from "./search-index/query.ts";
import { type Match, type Pending, scan } from "./search-index/scan.ts";
import { DamagedSegment, lazySegment, type Segment } from "./search-index/segment-reader.ts";
import { stateAt } from "./search-index/states.ts";
import { passageAround, snippetAround } from "./snippet.ts";

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
};

export const indexFolder = (ports: ConversationPorts): string =>
  `${nightshiftHome({ ...ports.env, HOME: ports.home })}/search`;

/** The index, ready to be asked. */
export type Ready = {
  catalog: Catalog;
  segments: readonly Segment[];
  pending: readonly Pending[];
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
  const segments = footprint.segments.map(({ name, newestSeconds }) =>
    lazySegment(`${folder}/${name}`, newestSeconds),
  );
  const { catalog, close } = footprint;
  return { catalog, segments, pending: [], scanned: 0, problems: [], close };
};

const passes = (catalog: Catalog, file: FileHead, options: SearchOptions): boolean => {
  if (options.agent !== undefined && file.agent !== options.agent) return false;
  if (file.isSubAgent && options.includeSubAgents !== true) return false;
  return options.project === undefined || catalog.details(file.file).dir.includes(options.project);
};

/** The whole text of a hit, for callers that want more than its surroundings. */
export type PassageHit = SearchHit & { text: string; passage: string };

const PASSAGE = { before: 300, after: 500 };

const toHit = (match: Match, states: (match: Match) => ContextState): PassageHit => {
  const { file, part, found } = match;
  return {
    message: `${file.agent}:${file.id}/${part.messageId}`,
    role: part.role,
    kind: part.kind,
    atMs: part.atSeconds * 1000,
    snippet: snippetAround(part.text, found.index, found.length),
    context: states(match),
    text: part.text,
    passage: passageAround(part.text, found.index, found.length, PASSAGE),
  };
};

/** Context states that the index does not hold are looked up in the conversations of the hits that are shown. */
const lookUpStates = async (
  catalog: Catalog,
  matches: readonly Match[],
): Promise<(match: Match) => ContextState> => {
  const found = new Map<Match, ContextState>();
  const missing: Match[] = [];
  for (const match of matches) {
    const state = stateAt(catalog.details(match.file.file).states, match.part.ordinal);
    if (state === undefined) missing.push(match);
    else found.set(match, state);
  }
  if (missing.length > 0) {
    const { readStates } = await import("./search-index/unindexed.ts");
    const states = await readStates(missing.map(({ file }) => file));
    for (const match of missing) {
      const state = states.get(match.file.file)?.get(match.part.messageId);
      if (state !== undefined) found.set(match, state);
    }
  }
  return (match) => found.get(match) ?? "in";
};

const newestFirst = (a: Match, b: Match): number =>
  a.rank - b.rank || b.part.atSeconds - a.part.atSeconds || b.part.ordinal - a.part.ordinal;

export const runQuery = async (
  { catalog, segments, pending, scanned, problems, close }: Ready,
  options: SearchOptions,
): Promise<SearchAnswer<PassageHit>> => {
  const collector = createCollector({
    limit: options.limit,
    hitsPerConversation: options.hitsPerConversation ?? 3,
  });
  try {
    scan({
      stages: parsePattern(options.pattern),
      segments,
      pending: pending.filter(({ file }) => passes(catalog, file, options)),
      fileOf: (number) => {
        const file = catalog.head(number);
        return file && passes(catalog, file, options) ? file : undefined;
      },
      isWanted: ({ role, atSeconds }) =>
        (options.role === undefined || role === options.role) &&
        (options.sinceMs === undefined || atSeconds * 1000 >= options.sinceMs),
      isFull: collector.isFull,
      onMatch: collector.add,
      oldestNeeded: (rank) => Math.max(collector.oldestNeeded(rank), (options.sinceMs ?? 0) / 1000 - 1),
    });
    return {
      ...(await present(catalog, collector)),
      conversations: catalog.conversations,
      scanned,
      problems,
    };
  } finally {
    for (const segment of segments) segment.close();
    close?.();
  }
};

const present = async (
  catalog: Catalog,
  collector: ReturnType<typeof createCollector>,
): Promise<Pick<SearchAnswer<PassageHit>, "results">> => {
  const ranked = collector.ranked();
  const states = await lookUpStates(
    catalog,
    ranked.flatMap(({ matches }) => matches),
  );
  const results = ranked.map(({ file, rank, matches }) => ({
    conversation: `${file.agent}:${file.id}`,
    agent: file.agent,
    dir: catalog.details(file.file).dir,
    isSubAgent: file.isSubAgent,
    rank,
    hits: matches.sort(newestFirst).map((match) => toHit(match, states)),
  }));
  return { results };
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
