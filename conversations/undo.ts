import { randomUUID } from "node:crypto";
import { closeSync, existsSync, fsyncSync, ftruncateSync, openSync, readFileSync, rmSync } from "node:fs";
import { runStatements } from "../agents/sqlite-write.ts";
import { writeFileDurably } from "../core/durable-file.ts";
import { AppError } from "../core/errors.ts";
import { findLastUsage } from "./estimate.ts";
import { findSource, getStore } from "./find.ts";
import { findUse } from "./in-use.ts";
import { type JournalEntry, type JournalWrite, listJournal, newJournalId, saveJournal } from "./journal.ts";
import type { ConversationPorts } from "./ports.ts";
import { modeOf, sha256, toJournalWrite, unpack, writeEdit } from "./write-edit.ts";

export type UndoReport = {
  journal: string;
  conversation: string;
  messages: string[];
  /** `exact`: every byte or row is as it was; `appended`: the conversation had gone on, the messages were added back */
  way: "exact" | "appended" | "kept";
  note: string;
  resume: string;
};

const truncate = (path: string, size: number): void => {
  const handle = openSync(path, "r+");
  try {
    ftruncateSync(handle, size);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
};

type Outcome = { way: UndoReport["way"]; note: string };

/** Cuts our lines off while nothing follows them (a torn write of ours counts as ours). */
const undoAppend = async (
  entry: JournalEntry,
  write: Extract<JournalWrite, { kind: "append" }>,
  ports: ConversationPorts,
): Promise<Outcome> => {
  const bytes = readFileSync(write.path);
  const tail = bytes.subarray(write.sizeBefore);
  if (Buffer.from(write.content).subarray(0, tail.length).equals(tail)) {
    truncate(write.path, write.sizeBefore);
    return { way: "exact", note: "the file is byte for byte as it was" };
  }
  const store = await getStore(entry.agent);
  const source = await findSource(`${entry.agent}:${entry.conversation}`, ports);
  const loaded = await store.load(source);
  const before = bytes.subarray(0, write.sizeBefore).toString("utf8");
  const edit = store.restore?.(loaded, before, { newId: randomUUID, nowMs: ports.now() });
  if (!edit)
    throw new AppError(
      "conflict",
      `${write.path} has gone on since; ${store.title} has no way to put the messages back`,
    );
  const { sent, index } = findLastUsage(edit.after);
  const journal: JournalEntry = {
    ...entry,
    usageOf: sent[index]?.id ?? null,
    usageTokens: sent[index]?.usage?.inputTokens ?? null,
    id: newJournalId(ports.now()),
    at: new Date(ports.now()).toISOString(),
    what: "undo",
    tokens: -entry.tokens,
    write: toJournalWrite(edit.write),
  };
  saveJournal(ports, journal);
  await writeEdit(edit.write, source);
  return {
    way: "appended",
    note: "the conversation has gone on since: the messages were put back before what came after",
  };
};

const undoFiles = (write: Extract<JournalWrite, { kind: "files" }>): Outcome => {
  const isOurs = ({ path, sha256After }: (typeof write.changes)[number]) =>
    existsSync(path) ? sha256(readFileSync(path)) === sha256After : sha256After === null;
  const isOld = ({ path, before }: (typeof write.changes)[number]) =>
    existsSync(path) ? before !== null && readFileSync(path).equals(unpack(before)) : before === null;
  const changed = write.changes.filter((change) => !isOurs(change) && !isOld(change));
  if (changed.length > 0) {
    const isCopy = changed.every(({ before }) => before === null);
    // A copy that was worked in stays: the original was never touched, so it is there already.
    if (isCopy)
      return { way: "kept", note: "the original was never touched; the copy was continued and is kept" };
    const names = changed.map(({ path }) => path).join(", ");
    throw new AppError("conflict", `${names} changed since; undoing would lose that`);
  }
  for (const { path, before } of write.changes)
    if (before === null) rmSync(path, { force: true });
    else writeFileDurably(path, unpack(before), modeOf(path));
  return { way: "exact", note: "every file is byte for byte as it was" };
};

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

const refuseInUse = async (entry: JournalEntry, ports: ConversationPorts): Promise<void> => {
  const store = await getStore(entry.agent);
  if (store.isLiveSafe || entry.result !== entry.conversation) return;
  const source = await findSource(`${entry.agent}:${entry.conversation}`, ports);
  const { conversation } = await store.load(source);
  const use = findUse({ store, conversation, source }, ports.now());
  if (use !== undefined)
    throw new AppError("locked", `${entry.agent}:${entry.conversation} is in use: ${use}; end it first`);
};

/**
 * Takes back the last forget, or the last one of a conversation, or the one with this journal id.
 * @throws AppError `not-found` when there is none
 */
export const undoLast = async (what: string | undefined, ports: ConversationPorts): Promise<UndoReport> => {
  const open = listJournal(ports).filter((entry) => entry.undone === undefined && entry.what !== "undo");
  const matches = (entry: JournalEntry) =>
    what === undefined ||
    [entry.id, entry.conversation, entry.result].some((id) => id === what || `${entry.agent}:${id}` === what);
  const entry = open.findLast((each) => each.what !== "purge" && matches(each));
  if (!entry) throw new AppError("not-found", `nothing to undo${what === undefined ? "" : ` for ${what}`}`);
  await refuseInUse(entry, ports);
  return undoEntry(entry, ports);
};
