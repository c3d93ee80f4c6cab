import type { Conversation } from "../agents/store.ts";
import { findLastUsage } from "./estimate.ts";
import { listJournal } from "./journal.ts";
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
      isSameUsage(entry.at, last.atMs),
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
