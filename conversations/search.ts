import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { ContextState, PartKind, Role } from "../agents/store.ts";
import { systemCode } from "../core/errors.ts";
import { nightshiftHome } from "../core/paths.ts";
import type { ConversationPorts } from "./ports.ts";
import {
  emptyManifest,
  type FileHead,
  type Manifest,
  readManifest,
  readStored,
  stateAt,
} from "./search-index/manifest.ts";
import { type Catalog, catalogOf, storedCatalog } from "./search-index/catalog.ts";
import { isUnchanged, type Plan, planRefresh } from "./search-index/plan.ts";
import { parsePattern } from "./search-index/query.ts";
import type { Progress } from "./search-index/refresh.ts";
import { createCollector } from "./search-index/collector.ts";
import { type Match, type Pending, scan } from "./search-index/scan.ts";
import { DamagedSegment, openSegment, type SegmentReader } from "./search-index/segment-reader.ts";
import { passageAround, snippetAround } from "./snippet.ts";

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
  join(nightshiftHome({ ...ports.env, HOME: ports.home }), "search");

/** The index, ready to be asked. */
type Ready = {
  catalog: Catalog;
  segments: readonly string[];
  pending: Pending[];
  scanned: number;
  problems: readonly string[];
};

const readyWith = (
  folder: string,
  { manifest, problems }: { manifest: Manifest; problems: readonly string[] },
  pending: Pending[] = [],
): Ready => ({
  problems,
  catalog: catalogOf(folder, manifest),
  segments: manifest.segments,
  pending,
  scanned: pending.length,
});

const readPending = async (folder: string, manifest: Manifest, plan: Plan): Promise<Pending[]> => {
  const { readUnindexed } = await import("./search-index/unindexed.ts");
  return readUnindexed(folder, manifest, plan);
};

/** Brings the index up to date, or, when another process is doing that, reads what it lacks directly. */
const makeReady = async (
  folder: string,
  { ports, progress }: { ports: ConversationPorts; progress: Progress },
): Promise<Ready> => {
  const stored = readStored(folder);
  if (stored && (await isUnchanged(stored, ports))) {
    return {
      catalog: storedCatalog(folder, stored),
      segments: stored.segments,
      pending: [],
      scanned: 0,
      problems: [],
    };
  }
  const { updateIndex } = await import("./search-index/update.ts");
  const updated = await updateIndex(folder, { ports, progress });
  if (updated) return readyWith(folder, updated);
  const manifest = readManifest(folder);
  const plan = await planRefresh(manifest, ports);
  const pending = await readPending(folder, manifest, plan);
  return readyWith(folder, { manifest, problems: plan.problems }, pending);
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
  const indexed = ({ file, part }: Match) => stateAt(catalog.details(file.file).states, part.ordinal);
  const missing = matches.filter((match) => indexed(match) === undefined);
  if (missing.length === 0) return (match) => indexed(match) ?? "in";
  const { readStates } = await import("./search-index/unindexed.ts");
  const states = await readStates(missing.map(({ file }) => file));
  return (match) => indexed(match) ?? states.get(match.file.file)?.get(match.part.messageId) ?? "in";
};

const newestFirst = (a: Match, b: Match): number =>
  a.rank - b.rank || b.part.atSeconds - a.part.atSeconds || b.part.ordinal - a.part.ordinal;

const runQuery = async (
  { catalog, segments: names, pending, scanned, problems }: Ready,
  { folder, options }: { folder: string; options: SearchOptions },
): Promise<SearchAnswer<PassageHit>> => {
  const collector = createCollector({
    limit: options.limit,
    hitsPerConversation: options.hitsPerConversation ?? 3,
  });
  const segments: SegmentReader[] = [];
  try {
    for (const name of names) segments.push(openSegment(join(folder, name)));
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
  } finally {
    for (const segment of segments) segment.close();
  }
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
  return { results, conversations: catalog.conversations, scanned, problems };
};

const TRIES = 4;

/**
 * Finds conversations that mention a pattern: words as they stand (upper and lower case are the same), or
 * `/regex/flags`. Every answer is of what is on disk now: the index is brought up to date first, and what
 * it lacks is read directly.
 */
export const searchConversations = async (
  options: SearchOptions,
  ports: ConversationPorts,
  progress: Progress = () => {},
): Promise<SearchAnswer<PassageHit>> => {
  const folder = indexFolder(ports);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (let tries = 1; ; tries += 1) {
    try {
      return await runQuery(await makeReady(folder, { ports, progress }), { folder, options });
    } catch (error) {
      // A segment merged away under us is in the next manifest; a damaged one is built anew.
      if (!(error instanceof DamagedSegment) && systemCode(error) !== "ENOENT") throw error;
      const { dropIndex } = await import("./search-index/update.ts");
      if (error instanceof DamagedSegment || tries > 1) dropIndex(folder);
      if (tries >= TRIES) return runQuery(await readAll(folder, ports), { folder, options });
    }
  }
};

/** Every conversation read directly: what is left when no index can be kept. */
const readAll = async (folder: string, ports: ConversationPorts): Promise<Ready> => {
  const manifest = emptyManifest();
  const plan = await planRefresh(manifest, ports);
  const pending = await readPending(folder, manifest, plan);
  return readyWith(folder, { manifest, problems: plan.problems }, pending);
};
