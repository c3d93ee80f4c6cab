import { randomUUID } from "node:crypto";
import type { Conversation, Edit } from "../agents/store.ts";
import { AppError } from "../core/errors.ts";
import { findForgetFaults } from "./check-context.ts";
import { type Closure, closeOver, removedIds } from "./closure.ts";
import { calibrate, estimateTokens, isSent } from "./estimate.ts";
import { conversationId, type OpenConversation } from "./find.ts";
import { refuseInUse } from "./in-use.ts";
import { type JournalEntry, newEntry } from "./journal.ts";
import type { ConversationPorts } from "./ports.ts";
import { type ContextSize, contextSize } from "./size.ts";
import { findForgotten } from "./stale-usage.ts";
import { toJournalWrite } from "./write-edit.ts";
import { writeJournaled } from "./write-journaled.ts";

export type ForgetReport = {
  conversation: string;
  /** the conversation to go on with; another one where the store writes a copy */
  result: string;
  closure: Closure;
  tokensFreed: number;
  tokensFreedError: number;
  /** tokens after the cut that the provider's prompt cache no longer covers and the next request pays again */
  cacheTokensLost: number;
  sizeBefore: ContextSize;
  sizeAfter: ContextSize;
  lever: string;
  resume: string;
  dryRun: boolean;
  journal?: string;
};

export type ForgetOptions = { dryRun?: boolean; what?: JournalEntry["what"] };

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
      `the conversation would begin with an answer, and ${store.title} cannot keep a placeholder for the first prompt: name its answers too, or keep the prompt`,
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
  if (!store.isLiveSafe && !options.dryRun) refuseInUse(open, nowMs);
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
  const entry = newEntry(nowMs, edit.after, {
    what: options.what ?? "forget",
    agent: store.id,
    conversation: conversation.id,
    result: edit.after.id,
    messages: [...removedIds(closure), ...closure.stubs],
    tokens: freed.tokens,
    errorTokens: freed.errorTokens,
    write: toJournalWrite(edit.write),
  });
  await writeJournaled(open, { edit, entry, ports });
  return { ...report, journal: entry.id };
};
