import { existsSync } from "node:fs";
import { eraseRows } from "../agents/sqlite-erase.ts";
import type { EditWrite, Source } from "../agents/store.ts";
import { AppError } from "../core/errors.ts";
import { type Closure, closeOver, removedIds } from "./closure.ts";
import { isSent } from "./estimate.ts";
import { conversationId, type OpenConversation } from "./find.ts";
import { findUse } from "./in-use.ts";
import { listJournal, newJournalId, saveJournal } from "./journal.ts";
import type { ConversationPorts } from "./ports.ts";
import { indexFolder } from "./search-as-it-is.ts";
import { updateIndex } from "./search-index/update.ts";
import { writeEdit } from "./write-edit.ts";

export type PurgeReport = {
  conversation: string;
  closure: Closure;
  /** files whose bytes were rewritten */
  rewritten: string[];
  /** earlier journal entries that held a copy and were emptied */
  journalEmptied: number;
  /** false: another process was indexing, and drops the text at its next merge */
  indexRewritten: boolean;
  /** where the text is still, in words, although it was purged; empty when it is gone */
  remains: string[];
  dryRun: boolean;
};

/** Messages that are not in the context any more can be purged too; those have no closure. */
const closureOf = (open: OpenConversation, named: readonly string[]): Closure => {
  const sent = new Set(open.conversation.messages.filter(isSent).map(({ id }) => id));
  const known = new Set(open.conversation.messages.map(({ id }) => id));
  const unknown = named.find((id) => !known.has(id));
  if (unknown !== undefined)
    throw new AppError("not-found", `conversation ${open.conversation.id} has no message ${unknown}`);
  const live = named.filter((id) => sent.has(id));
  const closure =
    live.length > 0 ? closeOver(open.conversation, live) : { named: [], companions: [], stubs: [] };
  return {
    ...closure,
    named: [...closure.named, ...closure.stubs, ...named.filter((id) => !sent.has(id))],
    stubs: [],
  };
};

/** The journal keeps what a forget took away: of a purged conversation it may keep nothing. */
const emptyJournal = (ports: ConversationPorts, { agent, id }: { agent: string; id: string }): number => {
  const held = listJournal(ports).filter(
    (entry) =>
      entry.agent === agent && (entry.conversation === id || entry.result === id) && entry.what !== "purge",
  );
  for (const entry of held)
    saveJournal(ports, {
      ...entry,
      undone: entry.undone ?? new Date(ports.now()).toISOString(),
      write: { kind: "files", changes: [] },
    });
  return held.length;
};

/** Texts of the messages that go: what must not be found afterwards. */
const textsOf = ({ conversation }: OpenConversation, removed: ReadonlySet<string>): string[] =>
  conversation.messages
    .filter(({ id }) => removed.has(id))
    .flatMap(({ parts }) => parts.map(({ text }) => text));

const write = async (edit: EditWrite, source: Source, texts: readonly string[]): Promise<string[]> => {
  if (edit.kind === "rows" && edit.isErasure === true)
    return eraseRows(edit.path, { statements: edit.statements, texts });
  await writeEdit(edit, source);
  return [];
};

/**
 * Removes messages for good: their bytes leave the transcript, its copies of them, the journal and the
 * search index. There is no undo.
 * @throws AppError `locked` when the conversation is in use, or its database's log is being read
 */
export const purgeMessages = async (
  open: OpenConversation,
  { named, dryRun, ports }: { named: readonly string[]; dryRun: boolean; ports: ConversationPorts },
): Promise<PurgeReport> => {
  const { store, source, conversation } = open;
  const use = findUse(open, ports.now());
  if (use !== undefined && !dryRun)
    throw new AppError("locked", `${conversationId(conversation)} is in use: ${use}; end it first`);
  const closure = closureOf(open, named);
  const removed = removedIds(closure);
  const edit = store.purge(open, removed);
  const rewritten = edit.kind === "files" ? edit.changes.map(({ path }) => path) : [edit.path];
  const report = { conversation: conversationId(conversation), closure, rewritten, dryRun };
  if (dryRun) return { ...report, journalEmptied: 0, indexRewritten: false, remains: [] };
  const remains = await write(edit, source, textsOf(open, removed));
  const indexRewritten = await rewriteIndex(ports);
  const journalEmptied = emptyJournal(ports, { agent: store.id, id: conversation.id });
  saveJournal(ports, {
    version: 1,
    id: newJournalId(ports.now()),
    at: new Date(ports.now()).toISOString(),
    what: "purge",
    agent: store.id,
    conversation: conversation.id,
    result: conversation.id,
    messages: [...removed],
    tokens: 0,
    errorTokens: 0,
    usageOf: null,
    usageTokens: null,
    write: { kind: "files", changes: [] },
  });
  return { ...report, journalEmptied, indexRewritten, remains };
};

/** The search index holds the texts too: what was removed is merged away now, not some day. */
const rewriteIndex = async (ports: ConversationPorts): Promise<boolean> => {
  const folder = indexFolder(ports);
  if (!existsSync(folder)) return true;
  return (await updateIndex(folder, { ports, progress: () => {}, isPurge: true })) !== undefined;
};
