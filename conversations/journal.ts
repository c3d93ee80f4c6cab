import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Conversation, Statement } from "../agents/store.ts";
import { writeFileDurably } from "../core/durable-file.ts";
import { readFileIfThere } from "../core/read-file.ts";
import { nightshiftHome } from "../core/paths.ts";
import { findLastUsage } from "./estimate.ts";
import type { ConversationPorts } from "./ports.ts";

/** What was written, with all that is needed to take it back. */
export type JournalWrite =
  | { kind: "append"; path: string; sizeBefore: number; content: string }
  | { kind: "files"; changes: { path: string; before: string | null; sha256After: string | null }[] }
  | { kind: "rows"; path: string; undo: readonly Statement[] };

/** One edit of a conversation. It is on disk before the edit is, so a crash in between can be taken back. */
export type JournalEntry = {
  version: 1;
  id: string;
  at: string;
  what: "forget" | "undo" | "purge" | "repair";
  agent: string;
  /** conversation that was edited, and the one to go on with (another where the store writes a copy) */
  conversation: string;
  result: string;
  messages: string[];
  tokens: number;
  errorTokens: number;
  /** id of the last message with usage: until there is a newer one, its figure counts what was forgotten */
  usageOf: string | null;
  usageTokens: number | null;
  write: JournalWrite;
  undone?: string;
};

const folderOf = (ports: ConversationPorts): string =>
  join(nightshiftHome({ ...ports.env, HOME: ports.home }), "ctx", "journal");

export const saveJournal = (ports: ConversationPorts, entry: JournalEntry): void =>
  writeFileDurably(join(folderOf(ports), `${entry.id}.json`), `${JSON.stringify(entry)}\n`, { mode: 0o600 });

/** An edit that came to nothing leaves no trace. */
export const dropJournal = (ports: ConversationPorts, { id }: JournalEntry): void =>
  rmSync(join(folderOf(ports), `${id}.json`), { force: true });

const isEntry = (value: unknown): value is JournalEntry =>
  typeof value === "object" && value !== null && (value as JournalEntry).version === 1;

const parse = (text: string | undefined): JournalEntry[] => {
  try {
    const value: unknown = JSON.parse(text ?? "null");
    return isEntry(value) ? [value] : [];
  } catch {
    return [];
  }
};

/** Every edit, oldest first: the id begins with the time. */
export const listJournal = (ports: ConversationPorts): JournalEntry[] => {
  const folder = folderOf(ports);
  let names: string[];
  try {
    names = readdirSync(folder).filter((name) => name.endsWith(".json") && !name.startsWith("."));
  } catch {
    return [];
  }
  return names.sort().flatMap((name) => parse(readFileIfThere(join(folder, name))));
};

let counter = 0;

/** Ids that sort by time. */
const newJournalId = (nowMs: number): string => {
  counter += 1;
  const order = String(counter).padStart(4, "0");
  return `${new Date(nowMs).toISOString().replaceAll(/[-:.]/g, "")}-${process.pid}-${order}`;
};

/** An entry for an edit that is about to be written; `after` is the conversation as it will be then, if it goes on. */
export const newEntry = (
  nowMs: number,
  after: Conversation | undefined,
  about: Omit<JournalEntry, "version" | "id" | "at" | "usageOf" | "usageTokens">,
): JournalEntry => {
  const { sent, index } = after ? findLastUsage(after) : { sent: [], index: 0 };
  const last = sent[index];
  return {
    ...about,
    version: 1,
    id: newJournalId(nowMs),
    at: new Date(nowMs).toISOString(),
    usageOf: last?.id ?? null,
    usageTokens: last?.usage?.inputTokens ?? null,
  };
};
