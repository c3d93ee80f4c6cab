import { existsSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { eraseRows } from "../agents/sqlite-erase.ts";
import type { EditWrite, Source } from "../agents/store.ts";
import { AppError } from "../core/errors.ts";
import { type Closure, closeOver, removedIds } from "./closure.ts";
import { withEditLock } from "./edit-lock.ts";
import { isSent } from "./estimate.ts";
import { conversationId, type OpenConversation } from "./find.ts";
import { refuseInUse } from "./in-use.ts";
import { newEntry, saveJournal } from "./journal.ts";
import type { ConversationPorts } from "./ports.ts";
import { findElsewhere, findHistory, findInFiles } from "./purge-remains.ts";
import { emptyJournal, markPurging, unmarkPurging } from "./purging.ts";
import { indexFolder } from "./search-index/manifest.ts";
import { markPurge, updateIndex } from "./search-index/update.ts";
import { writeEdit } from "./write-edit.ts";

export type PurgeReport = {
  conversation: string;
  closure: Closure;
  /** files whose bytes were rewritten */
  rewritten: string[];
  /** earlier journal entries that held a copy and were emptied */
  journalEmptied: number;
  /** false: the index still holds the text; `remains` says so */
  indexRewritten: boolean;
  /** where the text is still, in words, although it was purged; empty when it is gone */
  remains: string[];
  /** messages of other conversations, and lists of prompts, that hold the text too; they were not asked for */
  elsewhere: string[];
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

/** Texts of the messages that go: what must not be found afterwards. */
const textsOf = ({ conversation }: OpenConversation, removed: ReadonlySet<string>): string[] =>
  conversation.messages
    .filter(({ id }) => removed.has(id))
    .flatMap(({ parts }) => parts.map(({ text }) => text));

const write = async (
  edit: EditWrite,
  { source, texts }: { source: Source; texts: readonly string[] },
): Promise<string[]> => {
  if (edit.kind === "rows" && edit.isErasure === true)
    return eraseRows(edit.path, { statements: edit.statements, texts });
  await writeEdit(edit, source);
  const paths = edit.kind === "files" ? edit.changes.map(({ path }) => path) : [];
  return findInFiles([...new Set([source.path, ...paths])], texts);
};

/**
 * Removes messages for good: their bytes leave the transcript, its copies of them, the journal and the
 * search index. There is no undo. One that is killed half-way is finished by the next edit or search.
 * @throws AppError `locked` when the conversation is in use, or its database's log is being read
 */
export const purgeMessages = async (
  open: OpenConversation,
  { named, dryRun, ports }: { named: readonly string[]; dryRun: boolean; ports: ConversationPorts },
): Promise<PurgeReport> => {
  const { store, conversation } = open;
  if (!dryRun) refuseInUse(open, ports.now());
  const closure = closureOf(open, named);
  const removed = removedIds(closure);
  const edit = store.purge(open, removed);
  const rewritten = edit.kind === "files" ? edit.changes.map(({ path }) => path) : [edit.path];
  const report = { conversation: conversationId(conversation), closure, rewritten, dryRun };
  if (dryRun) return { ...report, journalEmptied: 0, indexRewritten: false, remains: [], elsewhere: [] };
  const texts = textsOf(open, removed);
  const done = await withEditLock(ports, () => writePurge(open, { edit, removed, texts, ports }));
  const where = { conversation: report.conversation, ports };
  const elsewhere = [...(await findElsewhere(texts, where)), ...findHistory(open.source.path, texts)];
  return { ...report, ...done, elsewhere };
};

type Planned = {
  edit: EditWrite;
  removed: ReadonlySet<string>;
  texts: readonly string[];
  ports: ConversationPorts;
};

const writePurge = async (
  { store, source, conversation: { id } }: OpenConversation,
  { edit, removed, texts, ports }: Planned,
): Promise<Pick<PurgeReport, "remains" | "indexRewritten" | "journalEmptied">> => {
  const purged = { agent: store.id, conversation: id };
  const index = indexFolder(ports);
  markPurging(ports, purged);
  if (existsSync(index)) markPurge(index);
  let remains: string[];
  try {
    remains = await write(edit, { source, texts });
  } catch (error) {
    unmarkPurging(ports);
    throw error;
  }
  const journalEmptied = emptyJournal(ports, purged);
  unmarkPurging(ports);
  const indexRewritten = await rewriteIndex(ports);
  if (!indexRewritten)
    remains.push(`${index}: the search index could not be rewritten just now; search again, or delete it`);
  const entry = newEntry(ports.now(), undefined, {
    ...purged,
    what: "purge",
    result: id,
    messages: [...removed],
    tokens: 0,
    errorTokens: 0,
    write: { kind: "files", changes: [] },
  });
  saveJournal(ports, entry);
  return { journalEmptied, indexRewritten, remains };
};

const INDEX_TRIES = 100;
const INDEX_PAUSE_MS = 100;

/** The search index holds the texts too: what was removed is merged away now, not some day. */
const rewriteIndex = async (ports: ConversationPorts): Promise<boolean> => {
  const folder = indexFolder(ports);
  if (!existsSync(folder)) return true;
  for (let tries = 0; tries < INDEX_TRIES; tries += 1) {
    // Again: whoever updated the index before the transcript was rewritten has taken the first mark for done.
    markPurge(folder);
    if (await updateIndex(folder, { ports, progress: () => {} })) return true;
    await pause(INDEX_PAUSE_MS);
  }
  return false;
};
