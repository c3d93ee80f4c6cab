import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { ContextState, PartKind, Role } from "../agents/store.ts";
import { systemCode } from "../core/errors.ts";
import { nightshiftHome } from "../core/paths.ts";
import type { ConversationPorts } from "./ports.ts";
import {
  emptyManifest,
  type FileHead,
  loadDetails,
  type Manifest,
  readManifest,
  stateAt,
} from "./search-index/manifest.ts";
import { isUpToDate, type Plan, planRefresh } from "./search-index/plan.ts";
import { parsePattern } from "./search-index/query.ts";
import type { Progress } from "./search-index/refresh.ts";
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
};

export const indexFolder = (ports: ConversationPorts): string =>
  join(nightshiftHome({ ...ports.env, HOME: ports.home }), "search");

type Ready = { manifest: Manifest; pending: Pending[]; scanned: number };

const readPending = async (folder: string, manifest: Manifest, plan: Plan): Promise<Pending[]> => {
  const { readUnindexed } = await import("./search-index/unindexed.ts");
  return readUnindexed(folder, manifest, plan);
};

/** Brings the index up to date, or, when another process is doing that, reads what it lacks directly. */
const makeReady = async (
  manifest: Manifest,
  { folder, ports, progress }: { folder: string; ports: ConversationPorts; progress: Progress },
): Promise<Ready> => {
  const plan = await planRefresh(manifest, ports);
  if (isUpToDate(plan)) return { manifest, pending: [], scanned: 0 };
  const { updateIndex } = await import("./search-index/update.ts");
  const updated = await updateIndex(folder, { ports, progress });
  if (updated) return { manifest: updated, pending: [], scanned: 0 };
  const pending = await readPending(folder, manifest, plan);
  return { manifest, pending, scanned: plan.changed.length };
};

const filterFiles = (folder: string, manifest: Manifest, options: SearchOptions): Map<number, FileHead> => {
  const found = new Map<number, FileHead>();
  if (options.project !== undefined)
    loadDetails(
      folder,
      manifest,
      [...manifest.files.values()].map(({ file }) => file),
    );
  for (const file of manifest.files.values()) {
    if (options.agent !== undefined && file.agent !== options.agent) continue;
    if (file.isSubAgent && options.includeSubAgents !== true) continue;
    const dir = manifest.details.get(file.file)?.dir ?? "";
    if (options.project !== undefined && !dir.includes(options.project)) continue;
    found.set(file.file, file);
  }
  return found;
};

type Collected = { file: FileHead; rank: number; atSeconds: number; matches: Match[] };

/** The best `limit` conversations so far, and how old a further one may be to matter. */
const createCollector = ({ limit, hitsPerConversation = 3 }: SearchOptions) => {
  const found = new Map<number, Collected>();
  const snippets = new Set<string>();
  let order: Collected[] | undefined;
  const ranked = () =>
    (order ??= [...found.values()]
      .sort((a, b) => a.rank - b.rank || b.atSeconds - a.atSeconds)
      .slice(0, limit));
  return {
    ranked,
    add: (match: Match) => {
      const { file, part, rank } = match;
      const known = found.get(file.file);
      const entry = known ?? { file, rank, atSeconds: part.atSeconds, matches: [] };
      if (!known) found.set(file.file, entry);
      if (!known || (entry.rank === rank && part.atSeconds > entry.atSeconds)) {
        entry.atSeconds = part.atSeconds;
        order = undefined;
      }
      if (entry.matches.length >= hitsPerConversation) return;
      // A branch or a checkpoint repeats messages word for word: once is enough.
      const key = `${file.file}:${part.kind}:${part.text.length}:${match.found.index}:${part.text.slice(match.found.index, match.found.index + 200)}`;
      if (snippets.has(key)) return;
      snippets.add(key);
      entry.matches.push(match);
    },
    isFull: (file: number) => (found.get(file)?.matches.length ?? 0) >= hitsPerConversation,
    oldestNeeded: (rank: number): number => {
      if (found.size < limit) return -1;
      const last = ranked().at(-1);
      return last === undefined || last.rank < rank ? Infinity : last.atSeconds;
    },
  };
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
  manifest: Manifest,
  matches: readonly Match[],
): Promise<(match: Match) => ContextState> => {
  const indexed = ({ file, part }: Match) =>
    stateAt(manifest.details.get(file.file)?.states ?? "", part.ordinal);
  const missing = matches.filter((match) => indexed(match) === undefined);
  if (missing.length === 0) return (match) => indexed(match) ?? "in";
  const { readStates } = await import("./search-index/unindexed.ts");
  const states = await readStates(missing.map(({ file }) => file));
  return (match) => indexed(match) ?? states.get(match.file.file)?.get(match.part.messageId) ?? "in";
};

const newestFirst = (a: Match, b: Match): number =>
  a.rank - b.rank || b.part.atSeconds - a.part.atSeconds || b.part.ordinal - a.part.ordinal;

const runQuery = async (
  { manifest, pending, scanned }: Ready,
  { folder, options }: { folder: string; options: SearchOptions },
): Promise<SearchAnswer<PassageHit>> => {
  const files = filterFiles(folder, manifest, options);
  const collector = createCollector(options);
  const segments: SegmentReader[] = [];
  try {
    for (const name of manifest.segments) segments.push(openSegment(join(folder, name)));
    scan({
      stages: parsePattern(options.pattern),
      segments,
      pending: pending.filter(({ file }) => files.has(file.file)),
      files,
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
  loadDetails(
    folder,
    manifest,
    ranked.map(({ file }) => file.file),
  );
  const states = await lookUpStates(
    manifest,
    ranked.flatMap(({ matches }) => matches),
  );
  const results = ranked.map(({ file, rank, matches }) => ({
    conversation: `${file.agent}:${file.id}`,
    agent: file.agent,
    dir: manifest.details.get(file.file)?.dir ?? "",
    isSubAgent: file.isSubAgent,
    rank,
    hits: matches.sort(newestFirst).map((match) => toHit(match, states)),
  }));
  return { results, conversations: manifest.files.size, scanned };
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
    const manifest = readManifest(folder);
    try {
      return await runQuery(await makeReady(manifest, { folder, ports, progress }), { folder, options });
    } catch (error) {
      // A segment merged away under us is in the next manifest; a damaged one is built anew.
      if (!(error instanceof DamagedSegment) && systemCode(error) !== "ENOENT") throw error;
      const { dropIndex } = await import("./search-index/update.ts");
      if (error instanceof DamagedSegment || tries > 1) dropIndex(folder);
      if (tries >= TRIES) {
        const plan = await planRefresh(emptyManifest(), ports);
        const all = emptyManifest();
        const pending = await readPending(folder, all, plan);
        return runQuery({ manifest: all, pending, scanned: pending.length }, { folder, options });
      }
    }
  }
};
