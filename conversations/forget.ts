import { randomUUID } from "node:crypto";
import type { Conversation, Edit } from "../agents/store.ts";
import { AppError } from "../core/errors.ts";
import { findForgetFaults } from "./check-context.ts";
import { type Closure, closeOver, removedIds } from "./closure.ts";
import { withEditLock } from "./edit-lock.ts";
import { calibrate, estimateTokens, findLastUsage, isSent } from "./estimate.ts";
import { conversationId, type OpenConversation } from "./find.ts";
import { findUse } from "./in-use.ts";
import { dropJournal, type JournalEntry, newJournalId, saveJournal } from "./journal.ts";
import type { ConversationPorts } from "./ports.ts";
import { type ContextSize, contextSize } from "./size.ts";
import { findForgotten } from "./stale-usage.ts";
import { isTakenBack } from "./take-back.ts";
import { toJournalWrite, writeEdit } from "./write-edit.ts";

export type ForgetReport = {
  conversation: string;
  /** the conversation to go on with; another one where the store writes a copy */
  result: string;
  closure: Closure;
  tokensFreed: number;
  tokensFreedError: number;
  /** tokens after the cut that the provider's prompt cache no longer covers and the next request pays anew */
  cacheTokensLost: number;
  sizeBefore: ContextSize;
  sizeAfter: ContextSize;
  lever: string;
  resume: string;
  dryRun: boolean;
  journal?: string;
};

export type ForgetOptions = { dryRun?: boolean; purge?: boolean; what?: JournalEntry["what"] };

const weigh = (conversation: Conversation, closure: Closure, charsPerToken: number) => {
  const { tokensPerChar, errorShare } = calibrate(conversation.messages, charsPerToken);
  const gone = new Set([...removedIds(closure), ...closure.stubs]);
  const sent = conversation.messages.filter(isSent);
  const weight = (message: Conversation["messages"][number]) => estimateTokens(message, tokensPerChar);
  const first = sent.findIndex(({ id }) => gone.has(id));
  const tokens = sent.filter(({ id }) => gone.has(id)).reduce((sum, message) => sum + weight(message), 0);
  const rest = sent.slice(first).filter(({ id }) => !gone.has(id));
  return {
    tokens,
    errorTokens: Math.round(tokens * errorShare),
    cacheTokensLost: rest.reduce((sum, message) => sum + weight(message), 0),
  };
};

const plan = ({ store, ...loaded }: OpenConversation, closure: Closure, nowMs: number): Edit => {
  if (closure.stubs.length > 0 && !store.canStub)
    throw new AppError(
      "bad-data",
      `the conversation would begin with an answer, and ${store.title} has no way to keep a placeholder: name the answers to the first prompt too, or leave it`,
    );
  const edit = store.forget(loaded, {
    remove: removedIds(closure),
    stub: new Set(closure.stubs),
    newId: randomUUID,
    nowMs,
  });
  const faults = findForgetFaults(loaded.conversation, edit.after, closure);
  if (faults.length > 0)
    throw new AppError(
      "bad-data",
      `not forgotten, ${store.title} would not load the result as it should: ${faults.join("; ")}`,
    );
  return edit;
};

/** Whether what was written is loaded back as planned; if not, the caller takes it back. */
const verifyWritten = async (open: OpenConversation, edit: Edit, closure: Closure): Promise<string[]> => {
  const { store, source, conversation } = open;
  const path = edit.after.path;
  const { conversation: written } = await store.load({ ...source, id: edit.after.id, path });
  return findForgetFaults(conversation, written, closure);
};

const toEntry = (open: OpenConversation, report: ForgetReport, edit: Edit, nowMs: number): JournalEntry => {
  const { sent, index } = findLastUsage(edit.after);
  return {
    version: 1,
    id: newJournalId(nowMs),
    at: new Date(nowMs).toISOString(),
    what: "forget",
    agent: open.store.id,
    conversation: open.conversation.id,
    result: edit.after.id,
    messages: [...removedIds(report.closure), ...report.closure.stubs],
    tokens: report.tokensFreed,
    errorTokens: report.tokensFreedError,
    usageOf: sent[index]?.id ?? null,
    usageTokens: sent[index]?.usage?.inputTokens ?? null,
    write: toJournalWrite(edit.write),
  };
};

const sizeAfter = (
  open: OpenConversation,
  {
    before,
    edit,
    freed,
  }: { before: ContextSize; edit: Edit; freed: { tokens: number; errorTokens: number } },
): ContextSize => {
  const tokens = Math.max(0, before.tokens - freed.tokens);
  const { windowTokens } = open.conversation;
  return {
    ...before,
    tokens,
    errorTokens: before.errorTokens + freed.errorTokens,
    share: windowTokens === undefined ? undefined : tokens / windowTokens,
    messages: edit.after.messages.filter(isSent).length,
    source: before.source === "estimate" ? "estimate" : "usage minus what was forgotten",
  };
};

/**
 * Takes messages out of a conversation's context by its store's own reversible means, together with
 * everything that cannot stay without them. What is written is loaded again as the agent would and
 * compared; if it is not the conversation minus the closure, it is taken back.
 * @throws AppError `locked` when the conversation is in use; `not-found`, `bad-data` for what cannot go
 */
export const forgetMessages = async (
  open: OpenConversation,
  {
    named,
    options = {},
    ports,
  }: { named: readonly string[]; options?: ForgetOptions; ports: ConversationPorts },
): Promise<ForgetReport> => {
  const { store, conversation } = open;
  const nowMs = ports.now();
  const use = store.isLiveSafe ? undefined : findUse(open, nowMs);
  if (use !== undefined && !options.dryRun)
    throw new AppError("locked", `${conversationId(conversation)} is in use: ${use}; end it first`);
  const closure = closeOver(conversation, named);
  const edit = plan(open, closure, nowMs);
  const freed = weigh(conversation, closure, store.charsPerToken);
  const before = contextSize(conversation, {
    charsPerToken: store.charsPerToken,
    forgotten: findForgotten(ports, conversation),
  });
  const report: ForgetReport = {
    conversation: conversationId(conversation),
    result: conversationId(edit.after),
    closure,
    tokensFreed: freed.tokens,
    tokensFreedError: freed.errorTokens,
    cacheTokensLost: freed.cacheTokensLost,
    sizeBefore: before,
    sizeAfter: sizeAfter(open, { before, edit, freed }),
    lever: store.lever,
    resume: store.resumeCommand(edit.after),
    dryRun: options.dryRun === true,
  };
  if (options.dryRun) return report;
  const entry: JournalEntry = { ...toEntry(open, report, edit, nowMs), what: options.what ?? "forget" };
  await withEditLock(ports, () => write(open, { edit, entry, closure, ports }));
  return { ...report, journal: entry.id };
};

const NOTHING: Closure = { named: [], companions: [], stubs: [] };

/** A file that changed since it was read is told by its size; rows have to be read again. */
const refuseChanged = async ({ store, source, conversation }: OpenConversation): Promise<void> => {
  const { conversation: now } = await store.load(source);
  if (findForgetFaults(conversation, now, NOTHING).length > 0)
    throw new AppError(
      "locked",
      `${conversationId(conversation)} has changed meanwhile; nothing was changed, try again`,
    );
};

type Written = { edit: Edit; entry: JournalEntry; closure: Closure; ports: ConversationPorts };

/** Writes an edit with its journal entry, both or neither. */
const write = async (open: OpenConversation, { edit, entry, closure, ports }: Written): Promise<void> => {
  if (edit.write.kind === "rows") await refuseChanged(open);
  saveJournal(ports, entry);
  try {
    await writeEdit(edit.write, open.source);
  } catch (error) {
    // What cannot be taken back here is left to ctx undo.
    if (isTakenBack(entry.write)) dropJournal(ports, entry);
    throw error;
  }
  const faults = await verifyWritten(open, edit, closure);
  if (faults.length === 0) return;
  const { undoEntry } = await import("./undo.ts");
  await undoEntry(entry, ports);
  throw new AppError(
    "internal",
    `taken back, ${open.store.title} would not load it as planned: ${faults.join("; ")}`,
  );
};
