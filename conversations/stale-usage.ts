import { type Conversation, FORGOTTEN_TEXT, type Message } from "../agents/store.ts";
import { findLastUsage } from "./estimate.ts";
import { type JournalEntry, listJournal } from "./journal.ts";
import type { ConversationPorts } from "./ports.ts";
import type { Forgotten } from "./size.ts";

/**
 * Tokens that the agent's last usage figure still counts although they were forgotten since. Every store
 * goes on reporting the old figure until the next answer.
 */
export const findForgotten = (
  ports: ConversationPorts,
  conversation: Conversation,
): Forgotten | undefined => {
  const { sent, index } = findLastUsage(conversation);
  const last = sent[index];
  if (!last?.usage) return undefined;
  const inputTokens = last.usage.inputTokens;
  const stale = listJournal(ports).filter(
    (entry) =>
      entry.undone === undefined &&
      entry.agent === conversation.agent &&
      entry.result === conversation.id &&
      entry.usageTokens === inputTokens &&
      isSameUsage(entry.at, last.atMs) &&
      isInEffect(entry, sent),
  );
  if (stale.length === 0) return undefined;
  return {
    tokens: stale.reduce((sum, { tokens }) => sum + tokens, 0),
    errorTokens: stale.reduce((sum, { errorTokens }) => sum + errorTokens, 0),
  };
};

// A usage dated after the edit is of a request that no longer carried the messages.
const isSameUsage = (editedAt: string, usageAtMs: number | undefined): boolean =>
  usageAtMs === undefined || usageAtMs <= Date.parse(editedAt);

/** An edit is in the journal before it is made: one that was killed in between has changed nothing. */
const isInEffect = ({ tokens, messages }: JournalEntry, sent: readonly Message[]): boolean => {
  if (tokens < 0) return true; // brought back: they are sent, and the figure does not count them
  const byId = new Map(sent.map((message) => [message.id, message]));
  return messages.some((id) => byId.get(id)?.parts.every(({ text }) => text === FORGOTTEN_TEXT) ?? true);
};
