import { randomUUID } from "node:crypto";
import type { Conversation, Edit, Message } from "../agents/store.ts";
import { AppError } from "../core/errors.ts";
import { isSpoken } from "./closure.ts";
import { calibrate, estimateTokens, findLastUsage, isSent } from "./estimate.ts";
import { conversationId, type OpenConversation } from "./find.ts";
import { refuseInUse } from "./in-use.ts";
import { newEntry } from "./journal.ts";
import type { ConversationPorts } from "./ports.ts";
import { toJournalWrite } from "./write-edit.ts";
import { writeJournaled } from "./write-journaled.ts";

const spoken = ({ messages }: Conversation) => messages.filter(isSent).filter(isSpoken);

export type CutOff = { edit: Edit; messages: number };

/** What a broken chain keeps from being sent, and the edit that joins it again; undefined when nothing is cut off. */
export const findCutOff = (
  { store, conversation, raw }: OpenConversation,
  nowMs: number,
): CutOff | undefined => {
  const edit = store.mend?.({ conversation, raw }, { newId: randomUUID, nowMs });
  const messages = edit ? spoken(edit.after).length - spoken(conversation).length : 0;
  return edit && messages > 0 ? { edit, messages } : undefined;
};

export type MendReport = {
  conversation: string;
  result: string;
  /** messages that are sent again */
  joined: number;
  tokens: number;
  resume: string;
  dryRun: boolean;
  journal?: string;
};

/** The end of a mended conversation has to be the whole of what was sent before. */
const keepsEnd = (before: Conversation, after: Conversation): boolean => {
  const said = (conversation: Conversation) =>
    spoken(conversation).map(({ role, parts }) => JSON.stringify([role, parts]));
  const kept = said(before);
  return said(after).slice(-kept.length).join("\n") === kept.join("\n");
};

/**
 * Joins a context that was cut off to what lies before it in the file, by the store's own reversible means.
 * @throws AppError `locked` when the conversation is in use
 */
export const mend = async (
  open: OpenConversation,
  { cutOff, ports, dryRun }: { cutOff: CutOff; ports: ConversationPorts; dryRun: boolean },
): Promise<MendReport> => {
  const { store, conversation } = open;
  const { edit, messages } = cutOff;
  const nowMs = ports.now();
  if (!dryRun) refuseInUse(open, nowMs);
  if (!keepsEnd(conversation, edit.after))
    throw new AppError(
      "bad-data",
      `${conversationId(conversation)} cannot be joined without changing its end`,
    );
  const { tokensPerChar, errorShare } = calibrate(edit.after.messages, store.charsPerToken);
  const weigh = (some: readonly Message[]): number =>
    some.reduce((sum, message) => sum + estimateTokens(message, tokensPerChar), 0);
  const joined = spoken(edit.after).slice(0, messages);
  const tokens = weigh(joined);
  const report: MendReport = {
    conversation: conversationId(conversation),
    result: conversationId(edit.after),
    joined: messages,
    tokens,
    resume: store.resumeCommand(edit.after),
    dryRun,
  };
  if (dryRun) return report;
  const { sent, index } = findLastUsage(edit.after);
  // A program that had them in memory has sent them, and its figure counts them, until it reads the file again.
  const isCounted = (sent[index]?.usage?.inputTokens ?? 0) >= tokens + weigh(spoken(conversation));
  const entry = newEntry(nowMs, edit.after, {
    what: "repair",
    agent: store.id,
    conversation: conversation.id,
    result: edit.after.id,
    messages: joined.map((message) => message.id),
    tokens: isCounted ? 0 : -tokens,
    errorTokens: isCounted ? 0 : Math.round(tokens * errorShare),
    write: toJournalWrite(edit.write),
  });
  await writeJournaled(open, { edit, ports, entry });
  return { ...report, journal: entry.id };
};
