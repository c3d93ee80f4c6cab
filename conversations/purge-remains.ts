import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { findRemains } from "../agents/sqlite-erase.ts";
import { AppError } from "../core/errors.ts";
import { findSecrets } from "../core/redaction.ts";
import type { ConversationPorts } from "./ports.ts";
import { searchConversations } from "./search.ts";

/** What of a transcript's own files still holds purged texts, in words. */
export const findInFiles = (paths: readonly string[], texts: readonly string[]): string[] => {
  const sought = [...texts, ...texts.flatMap(findSecrets)];
  return paths
    .flatMap((path) => findRemains([path], sought))
    .map((path) => `${path}: the text is there still; another message or record holds a copy of it`);
};

const LONG_CHARS = 24;
const NEEDLE_CHARS = 120;
const NEEDLES_AT_MOST = 8;

/** What to look for in other conversations: the secrets, or, where none is shaped like one, how the texts begin. */
const needlesOf = (texts: readonly string[]): string[] => {
  const secrets = texts.flatMap(findSecrets);
  const beginnings = texts
    .map((text) => text.trim().slice(0, NEEDLE_CHARS))
    .filter((text) => text.length >= LONG_CHARS && /\s/.test(text));
  return [...new Set(secrets.length > 0 ? secrets : beginnings)].slice(0, NEEDLES_AT_MOST);
};

/** Messages of other conversations that hold purged text too: copies, sub-agents, what was told twice. */
export const findElsewhere = async (
  texts: readonly string[],
  { conversation, ports }: { conversation: string; ports: ConversationPorts },
): Promise<string[]> => {
  const found = new Set<string>();
  for (const needle of needlesOf(texts)) {
    const ask = { pattern: `"${needle}"`, limit: 20, hitsPerConversation: 5, includeSubAgents: true };
    try {
      for (const result of (await searchConversations(ask, ports)).results)
        if (result.conversation !== conversation) for (const { message } of result.hits) found.add(message);
    } catch (error) {
      if (!(error instanceof AppError)) throw error; // the purge is done: a search that fails takes nothing back
    }
  }
  return [...found];
};

const HISTORY = "history.jsonl";
const LEVELS = 6;

/** The agent's list of prompts, if it keeps one above its transcripts and it holds one of the texts. */
export const findHistory = (transcript: string, texts: readonly string[]): string[] => {
  let folder = dirname(transcript);
  for (let level = 0; level < LEVELS; level += 1, folder = dirname(folder)) {
    const path = join(folder, HISTORY);
    if (!existsSync(path)) continue;
    const bytes = readFileSync(path);
    return needlesOf(texts).some((needle) => bytes.includes(JSON.stringify(needle).slice(1, -1)))
      ? [path]
      : [];
  }
  return [];
};
