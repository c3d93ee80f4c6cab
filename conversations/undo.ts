import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { runStatements } from "../agents/sqlite-write.ts";
import type { Conversation } from "../agents/store.ts";
import { AppError } from "../core/errors.ts";
import { isSpoken } from "./closure.ts";
import { withEditLock } from "./edit-lock.ts";
import { isSent } from "./estimate.ts";
import { findSource, getStore } from "./find.ts";
import { refuseInUse } from "./in-use.ts";
import { type JournalEntry, type JournalWrite, listJournal, newEntry, saveJournal } from "./journal.ts";
import type { ConversationPorts } from "./ports.ts";
import { cutOff, holdsOurs, putFilesBack } from "./take-back.ts";
import { toJournalWrite, writeEdit } from "./write-edit.ts";

export type UndoReport = {
  journal: string;
  conversation: string;
  messages: string[];
  /** `exact`: every byte or row is as it was; `appended`: the conversation had gone on, the messages were added back */
  way: "exact" | "appended" | "kept";
  note: string;
  resume: string;
};

type Outcome = { way: UndoReport["way"]; note: string };

type Append = Extract<JournalWrite, { kind: "append" }>;

// Without notices: agents write those again whenever they resume.
const sentCount = ({ messages }: Conversation): number => messages.filter(isSent).filter(isSpoken).length;

/** The content of a file without the lines that this edit and later ones of ours have left in it. */
const withoutOurs = (
  bytes: Buffer,
  { path, sizeBefore: start }: Append,
  ports: ConversationPorts,
): Buffer => {
  const ours = listJournal(ports)
    .flatMap(({ write }) => (write.kind === "append" && write.path === path ? [write] : []))
    .filter((write) => write.sizeBefore >= start && holdsOurs(bytes, write))
    .sort((a, b) => a.sizeBefore - b.sizeBefore);
  const pieces: Buffer[] = [];
  let from = 0;
  for (const { sizeBefore, content } of ours) {
    pieces.push(bytes.subarray(from, sizeBefore));
    from = sizeBefore + Buffer.byteLength(content);
  }
  return Buffer.concat([...pieces, bytes.subarray(from)]);
};

const undoAppend = async (entry: JournalEntry, write: Append, ports: ConversationPorts): Promise<Outcome> => {
  if (cutOff(write)) return { way: "exact", note: "the file is byte for byte as it was" };
  const bytes = readFileSync(write.path);
  if (!holdsOurs(bytes, write))
    return {
      way: "exact",
      note: "the forget had not been written, and the conversation has continued without it",
    };
  const store = await getStore(entry.agent);
  const source = await findSource(`${entry.agent}:${entry.conversation}`, ports);
  const loaded = await store.load(source);
  const before = bytes.subarray(0, write.sizeBefore);
  const edit = store.restore?.(
    loaded,
    { before, without: withoutOurs(bytes, write, ports) },
    { newId: randomUUID, nowMs: ports.now() },
  );
  if (!edit || sentCount(edit.after) <= sentCount(loaded.conversation))
    throw new AppError(
      "conflict",
      `${write.path} has continued since, and the forgotten messages would no longer be in its context (compacted, or on another branch): nothing to restore`,
    );
  const journal = newEntry(ports.now(), edit.after, {
    ...entry,
    what: "undo",
    tokens: -entry.tokens,
    write: toJournalWrite(edit.write),
  });
  saveJournal(ports, journal);
  await writeEdit(edit.write, source);
  return {
    way: "appended",
    note: "the conversation has continued since: the messages were put back before what came after",
  };
};

const undoFiles = (write: Extract<JournalWrite, { kind: "files" }>): Outcome =>
  putFilesBack(write)
    ? { way: "exact", note: "every file is byte for byte as it was" }
    : { way: "kept", note: "the original was never touched; the copy was continued and is kept" };

const undoWrite = async (entry: JournalEntry, ports: ConversationPorts): Promise<Outcome> => {
  const { write } = entry;
  if (write.kind === "append") return undoAppend(entry, write, ports);
  if (write.kind === "files") return undoFiles(write);
  await runStatements(write.path, write.undo);
  return { way: "exact", note: "every row is as it was" };
};

/** Takes back one edit of the journal. */
export const undoEntry = async (entry: JournalEntry, ports: ConversationPorts): Promise<UndoReport> => {
  if (entry.what === "purge")
    throw new AppError("bad-data", `${entry.id} was a purge: its bytes were removed for good, on purpose`);
  const store = await getStore(entry.agent);
  const outcome = await undoWrite(entry, ports);
  saveJournal(ports, { ...entry, undone: new Date(ports.now()).toISOString() });
  const id = entry.conversation;
  const resume = store.resumeCommand({
    agent: entry.agent,
    id,
    path: "",
    messages: [],
    faults: [],
    isSubAgent: false,
  });
  return {
    journal: entry.id,
    conversation: `${entry.agent}:${id}`,
    messages: entry.messages,
    resume,
    ...outcome,
  };
};

const refuseEditInUse = async (entry: JournalEntry, ports: ConversationPorts): Promise<void> => {
  const store = await getStore(entry.agent);
  if (store.isLiveSafe || entry.result !== entry.conversation) return;
  const source = await findSource(`${entry.agent}:${entry.conversation}`, ports);
  const { conversation } = await store.load(source);
  refuseInUse({ store, conversation, source }, ports.now());
};

const nativeOf = (what: string, agent: string): string =>
  what.startsWith(`${agent}:`) ? what.slice(agent.length + 1) : what;

/**
 * The entry that is meant: the last one, or the last one of a conversation, or the one with this id.
 * @throws AppError `not-found`; `usage` when a beginning of an id fits several conversations
 */
const findEntry = (open: readonly JournalEntry[], what: string | undefined): JournalEntry => {
  const isExactly = (entry: JournalEntry) =>
    [entry.id, entry.conversation, entry.result].some((id) => id === nativeOf(what ?? "", entry.agent));
  const begins = ({ agent, conversation, result }: JournalEntry) =>
    what !== "" && [conversation, result].some((id) => id.startsWith(nativeOf(what ?? "", agent)));
  const exact = what === undefined ? open : open.filter(isExactly);
  const meant = exact.length > 0 ? exact : open.filter(begins);
  const last = meant.at(-1);
  if (!last) throw new AppError("not-found", `nothing to undo${what === undefined ? "" : ` for ${what}`}`);
  const names = [...new Set(meant.map(({ agent, conversation }) => `${agent}:${conversation}`))];
  if (exact.length === 0 && names.length > 1)
    throw new AppError("usage", `${what} fits ${names.length} conversations (${names.join(", ")})`);
  return last;
};

const pathsOf = ({ write }: JournalEntry): string[] =>
  write.kind === "append"
    ? [write.path]
    : write.kind === "files"
      ? write.changes.map(({ path }) => path)
      : [];

/** What was written later into the same file was planned from what this edit had left. */
const refuseBeforeLater = (entry: JournalEntry, open: readonly JournalEntry[]): void => {
  const paths = new Set(pathsOf(entry));
  const later = open
    .slice(open.indexOf(entry) + 1)
    .findLast((other) => pathsOf(other).some((path) => paths.has(path)));
  if (later)
    throw new AppError(
      "conflict",
      `a later forget of ${entry.agent}:${entry.conversation} builds on this one; take that back first: ctx undo ${later.id}`,
    );
};

/**
 * Takes back the last forget, or the last one of a conversation, or the one with this journal id.
 * @throws AppError `not-found` when there is none; `conflict` when a later one builds on it
 */
export const undoLast = (what: string | undefined, ports: ConversationPorts): Promise<UndoReport> =>
  withEditLock(ports, async () => {
    const open = listJournal(ports).filter(
      ({ undone, what: kind }) => undone === undefined && kind !== "undo" && kind !== "purge",
    );
    const entry = findEntry(open, what);
    refuseBeforeLater(entry, open);
    await refuseEditInUse(entry, ports);
    return undoEntry(entry, ports);
  });
