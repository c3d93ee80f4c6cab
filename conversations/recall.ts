import { readFileIfThere } from "../core/read-file.ts";
import { redactSecrets } from "../core/redaction.ts";
import { listHandoffFiles } from "./handoff-files.ts";
import type { ConversationPorts } from "./ports.ts";
import { composeRecall, type Memory, type Recall, withoutRepeats } from "./recall-text.ts";
import { searchConversations, type SearchOptions } from "./search.ts";
import { passageAround } from "./snippet.ts";
import { findStat } from "../agents/files.ts";

export type RecallOptions = {
  text: string;
  /** memories at most */
  limit?: number;
  /** tokens at most of the whole text */
  maxTokens?: number;
  project?: string | undefined;
  /** only what shares at least half of the words that tell the text from others */
  isStrongOnly?: boolean;
  /** sources that say nothing new: ids of conversations, or folders of notes */
  without?: readonly string[];
};

const PASSAGE = { before: 300, after: 500 };
/** More than the longest secret (a private key): what is cut here cannot begin or end within the passage. */
const MARGIN_CHARS = 40_000;

/**
 * The surroundings of a hit without secrets. They are taken out before anything is cut: half of a key is
 * shaped like none, and would stay.
 */
const cleanPassage = (text: string, { index, length }: { index: number; length: number }): string => {
  const start = Math.max(0, index - MARGIN_CHARS);
  const around = text.slice(start, index + length + MARGIN_CHARS);
  const clean = redactSecrets(around);
  const at = index - start;
  if (clean === around) return passageAround(text, index, length, PASSAGE);
  const moved = clean.indexOf(
    text.slice(index, index + length),
    Math.max(0, at - Math.max(0, around.length - clean.length)),
  );
  // Not found: the hit was within a secret. Its placeholder stands about there.
  return moved === -1
    ? passageAround(clean, Math.min(at, clean.length), 0, PASSAGE)
    : passageAround(clean, moved, length, PASSAGE);
};

/** The beginning of a note without secrets. */
const cleanNote = (text: string, maxChars: number): string =>
  redactSecrets(text.slice(0, maxChars + MARGIN_CHARS)).slice(0, maxChars);

const LONGEST_NOTE = 4000;
const WORDS_AT_MOST = 8;

const STOP_WORDS = new Set(
  "a an and are as at be but by for from has have how i if in into is it its of on or our so that the their then there this to was we were what when where which while who why will with you your".split(
    " ",
  ),
);

/** The words of a text that tell it from others, longest first. */
export const distinctiveWords = (text: string): string[] => {
  const words = text.match(/[\p{L}\p{N}_./:-]{3,}/gu) ?? [];
  const clean = words.map((word) => word.replace(/^[./:-]+|[./:-]+$/g, "").toLowerCase());
  const unique = [...new Set(clean)].filter((word) => word.length >= 3 && !STOP_WORDS.has(word));
  return unique.sort((a, b) => b.length - a.length).slice(0, WORDS_AT_MOST);
};

const relevance = (text: string, words: readonly string[]): number => {
  const folded = text.toLowerCase();
  return words.filter((word) => folded.includes(word)).length;
};

/** What a worker was told is no memory of anybody's: it holds the very text that is asked about. */
const isPrompt = (text: string): boolean => text.startsWith("WORKER MODE:");

const isFrom = (source: string, without: readonly string[]): boolean =>
  without.some((place) => source === place || source.startsWith(`${place}/`));

/** Whether a text shares enough words with what is asked about to be worth its place unasked. */
const isStrong = (text: string, words: readonly string[]): boolean =>
  relevance(text, words) >= Math.max(2, words.length / 2);

/** Nightshift's own notes, most relevant first, then newest; none that shares no word with the text. */
const findHandoffFiles = (ports: ConversationPorts, words: readonly string[]): Memory[] =>
  listHandoffFiles(ports)
    .flatMap((path) => {
      const text = readFileIfThere(path) ?? "";
      const score = relevance(text, words);
      return score === 0 ? [] : [{ path, text, score, atMs: findStat(path)?.mtimeMs ?? 0 }];
    })
    .sort((a, b) => b.score - a.score || b.atMs - a.atMs)
    .map(({ path, text, atMs }) => ({
      kind: "handoff" as const,
      source: path,
      atMs,
      text: cleanNote(text, LONGEST_NOTE),
    }));

const HANDOFF_LINE = /^\s*HANDOFF:[^\n]*(?:\n(?!\s*(?:HANDOFF|DONE):)[^\n]*)*/m;

type Ask = Pick<SearchOptions, "pattern" | "limit" | "project">;

/** Notes that agents left in conversations: from a line `HANDOFF:` on. */
const findHandoffLines = async (
  ports: ConversationPorts,
  { words, project }: { words: readonly string[]; project: string | undefined },
) => {
  const ask: Ask = { pattern: "/^\\s*HANDOFF:/m", limit: 50, project };
  const { results } = await searchConversations({ ...ask, hitsPerConversation: 2, role: "assistant" }, ports);
  return results
    .flatMap(({ hits }) => hits)
    .filter(({ kind }) => kind === "text")
    .map((hit) => ({ hit, note: cleanNote(HANDOFF_LINE.exec(hit.text)?.[0].trim() ?? "", LONGEST_NOTE) }))
    .filter(({ hit }) => !isPrompt(hit.text))
    .map(({ hit, note }) => ({ hit, note, score: relevance(note, words) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || b.hit.atMs - a.hit.atMs)
    .map(({ hit, note }): Memory => ({ kind: "handoff", source: hit.message, atMs: hit.atMs, text: note }));
};

const atLeast3 = (pattern: string): boolean => pattern.replaceAll('"', "").trim().length >= 3;

/** The text as it stands, then all of its words. */
const wholePatterns = (text: string, words: readonly string[]): string[] => {
  const phrase = text.trim().split("\n")[0]?.slice(0, 200) ?? "";
  return [...new Set([`"${phrase}"`, words.join(" ")])].filter(atLeast3);
};

/**
 * Words two by two, each with the next and the one after it: whatever holds half of the words holds one of
 * these pairs.
 */
const pairPatterns = (words: readonly string[]): string[] => {
  const pairs = [1, 2].flatMap((step) =>
    words.map((word, index) => [word, words[(index + step) % words.length] ?? ""].sort().join(" ")),
  );
  return words.length < 2 ? [] : [...new Set(pairs)];
};

/** Conversations asked for beyond the limit: some have only what is left out. */
const SPARE = 5;

type Wanted = {
  text: string;
  words: readonly string[];
  limit: number;
  project: string | undefined;
  isStrongOnly: boolean;
  isWanted: (hit: { message: string; passage: string }) => boolean;
};

/** Excerpts: of the whole text first, then those with most of its words, then with any of them; the newest first. */
const findSnippets = async (
  ports: ConversationPorts,
  { text, words, limit, project, isStrongOnly, isWanted }: Wanted,
): Promise<Memory[]> => {
  const found = new Map<string, Memory>();
  const look = async (patterns: readonly string[]): Promise<void> => {
    for (const pattern of patterns) {
      const ask = { pattern, limit: limit + SPARE, project, hitsPerConversation: 2 };
      const { results } = await searchConversations(ask, ports);
      for (const { message, atMs, text: whole, found: place } of results.flatMap(({ hits }) => hits)) {
        if (isPrompt(whole) || found.has(message)) continue;
        const passage = cleanPassage(whole, place);
        if (isWanted({ message, passage }))
          found.set(message, { kind: "snippet", source: message, atMs, text: passage });
      }
    }
  };
  await look(wholePatterns(text, words));
  if (found.size < limit) await look(pairPatterns(words));
  if (found.size < limit && !isStrongOnly) await look(words);
  const score = (memory: Memory): number => relevance(memory.text, words);
  const distinct = withoutRepeats([...found.values()]);
  return distinct.sort((a, b) => score(b) - score(a) || b.atMs - a.atMs).slice(0, limit);
};

/** An excerpt of a message whose note is there already says nothing new. */
const isNew =
  (notes: readonly Memory[]) =>
  ({ source }: Memory): boolean =>
    !notes.some((note) => note.source === source);

/**
 * What earlier sessions left about a text: handoff notes first, then the best excerpts; quoted as data
 * with source and date, secrets taken out, nothing twice, within a budget of tokens.
 */
export const recall = async (
  { text, limit = 5, maxTokens = 2000, project, isStrongOnly = false, without = [] }: RecallOptions,
  ports: ConversationPorts,
): Promise<Recall> => {
  const words = distinctiveWords(text);
  if (words.length === 0) return composeRecall([], maxTokens);
  const isGood = (source: string, found: string): boolean =>
    !isFrom(source, without) && (!isStrongOnly || isStrong(found, words));
  const notes = withoutRepeats([
    ...findHandoffFiles(ports, words),
    ...(await findHandoffLines(ports, { words, project })),
  ])
    .filter((note) => isGood(note.source, note.text))
    .slice(0, limit);
  const isWanted: Wanted["isWanted"] = ({ message, passage }) => isGood(message, passage);
  const ask: Wanted = { text, words, limit, project, isStrongOnly, isWanted };
  const snippets = notes.length < limit ? await findSnippets(ports, ask) : [];
  return composeRecall(
    withoutRepeats([...notes, ...snippets.filter(isNew(notes))]).slice(0, limit),
    maxTokens,
  );
};
