import { systemCode } from "../core/errors.ts";
import type { ContextState, PartKind, Role } from "../agents/store.ts";
import { parsePattern, runStages } from "./pattern.ts";
import type { ConversationPorts } from "./ports.ts";
import { createCollector } from "./search-index/collector.ts";
import { indexFolder, type IndexedConversation } from "./search-index/manifest.ts";
import { type OpenIndex, openIndex, readAll } from "./search-index/open-index.ts";
import type { Progress } from "./search-index/refresh.ts";
import { type Match, scan } from "./search-index/scan.ts";
import { DamagedSegment } from "./search-index/segment.ts";
import { stateAt } from "./search-index/states.ts";
import { snippetAround } from "./snippet.ts";

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
  /** conversations that were read for this answer alone, because the index on disk lacks them */
  scanned: number;
  /** what could not be read, in words: what it holds is not in this answer */
  problems: readonly string[];
  /** why the index on disk could not be brought up to date, in words */
  noIndex?: string;
};

/** With the whole text of a hit and where in it it was found, for callers that want more than its surroundings. */
export type PassageHit = SearchHit & { text: string; found: { index: number; length: number } };

const toHit = ({ agent, id, states }: IndexedConversation, { part, found }: Match): PassageHit => ({
  message: `${agent}:${id}/${part.messageId}`,
  role: part.role,
  kind: part.kind,
  atMs: part.atSeconds * 1000,
  snippet: snippetAround(part.text, found.index, found.length),
  context: stateAt(states, part.ordinal) ?? "in",
  text: part.text,
  found,
});

const passes = (
  conversation: IndexedConversation | undefined,
  { agent, project, includeSubAgents }: SearchOptions,
): conversation is IndexedConversation =>
  conversation !== undefined &&
  (agent === undefined || conversation.agent === agent) &&
  (includeSubAgents === true || !conversation.isSubAgent) &&
  (project === undefined || conversation.dir.includes(project));

const query = (
  { conversations, segments, ...facts }: OpenIndex,
  options: SearchOptions,
): SearchAnswer<PassageHit> => {
  const { pattern, limit, role, sinceMs = 0, hitsPerConversation = 3 } = options;
  const collector = createCollector({ limit, hits: hitsPerConversation });
  const stages = parsePattern(pattern);
  const steps = scan({
    stages,
    segments,
    isOpen: (file) => passes(conversations.get(file), options) && collector.isOpen(file),
    isWanted: (part) => (role === undefined || part.role === role) && part.atSeconds * 1000 >= sinceMs,
    onMatch: collector.add,
    oldestNeeded: (rank) => Math.max(collector.oldestNeeded(rank), sinceMs / 1000 - 1),
  });
  try {
    runStages(pattern, stages, steps);
  } finally {
    for (const segment of segments) segment.close();
  }
  const results = collector.best().flatMap(({ file, rank, matches }) => {
    const known = conversations.get(file);
    if (!known) return [];
    const { agent, id, dir, isSubAgent } = known;
    const hits = matches.map((match) => toHit(known, match));
    return [{ conversation: `${agent}:${id}`, agent, dir, isSubAgent, rank, hits }];
  });
  return { results, conversations: conversations.size, ...facts };
};

const TRIES = 4;

/**
 * Finds conversations that mention a pattern: words as they stand (upper and lower case are the same), or
 * `/regex/flags`. Every answer is of what is on disk now: the index is brought up to date first, and what it lacks is
 * read directly.
 */
export const searchConversations = async (
  options: SearchOptions,
  ports: ConversationPorts,
  progress: Progress = () => {},
): Promise<SearchAnswer<PassageHit>> => {
  for (let tries = 1; ; tries += 1) {
    try {
      return query(await openIndex({ ports, progress }), options);
    } catch (error) {
      // A segment merged away under us is in the next manifest; a damaged one is rebuilt.
      const isDamaged = error instanceof DamagedSegment;
      if (!isDamaged && systemCode(error) !== "ENOENT") throw error;
      if (tries >= TRIES) return query(await readAll({ ports, progress }), options);
      const { dropIndex } = await import("./search-index/update.ts");
      if (isDamaged || tries > 1) dropIndex(indexFolder(ports));
    }
  }
};
