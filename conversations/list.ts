import { withoutUndefined } from "../core/without-undefined.ts";
import type { Conversation, Message, PartKind, Role } from "../agents/store.ts";
import { calibrate, estimateTokens } from "./estimate.ts";
import { messageId } from "./find.ts";
import { parsePattern, runStages } from "./pattern.ts";
import { snippetAround } from "./snippet.ts";

/** A message as `ctx list` and `ctx search` show it; `id` is what `ctx forget` takes. */
export type MessageRow = {
  id: string;
  role: Role;
  kinds: PartKind[];
  tool?: string;
  tokens: number;
  atMs?: number;
  context: Message["context"];
  snippet: string;
};

/** The words by which a message is recognised: what was said, else what was called or answered. */
export const messageText = ({ parts }: Message): string => {
  const spoken = parts.filter((part) => part.kind === "text" && part.text.trim() !== "");
  const shown = spoken.length > 0 ? spoken : parts;
  return shown
    .map((part) => (part.kind === "tool-call" ? `${part.tool} ${part.text}` : part.text))
    .join("\n");
};

const toRow = (conversation: Conversation, message: Message, tokensPerChar: number): MessageRow => {
  const tool = message.parts.find((part) => part.tool !== undefined)?.tool;
  return {
    id: messageId(conversation, message.id),
    role: message.role,
    kinds: [...new Set(message.parts.map(({ kind }) => kind))],
    tokens: estimateTokens(message, tokensPerChar),
    context: message.context,
    snippet: snippetAround(messageText(message), 0, 0),
    ...withoutUndefined({ tool, atMs: message.atMs }),
  };
};

const tokensPerCharOf = (conversation: Conversation, charsPerToken: number): number =>
  calibrate(conversation.messages, charsPerToken).tokensPerChar;

const isListed = (context: Message["context"], all: boolean): boolean =>
  all || context === "in" || context === "cleared";

/** The last messages of a conversation, oldest first; those that are sent, or all of them. */
export const listMessages = (
  conversation: Conversation,
  { limit, all, charsPerToken }: { limit: number; all: boolean; charsPerToken: number },
): MessageRow[] => {
  const ratio = tokensPerCharOf(conversation, charsPerToken);
  return conversation.messages
    .filter(({ context }) => isListed(context, all))
    .slice(-limit)
    .map((message) => toRow(conversation, message, ratio));
};

/** Messages of one conversation that hold a term (a pattern as agent-search takes it, as it stands), oldest first. */
export const searchMessages = (
  conversation: Conversation,
  { term, all, charsPerToken }: { term: string; all: boolean; charsPerToken: number },
): MessageRow[] => {
  const stages = parsePattern(term).slice(0, 1);
  const ratio = tokensPerCharOf(conversation, charsPerToken);
  const rows: MessageRow[] = [];
  const steps = function* (): Generator<void> {
    for (const message of conversation.messages.filter(({ context }) => isListed(context, all)))
      for (const { text } of message.parts) {
        const found = stages[0]?.find(text);
        yield;
        if (!found) continue;
        const snippet = snippetAround(text, found.index, found.length);
        rows.push({ ...toRow(conversation, message, ratio), snippet });
        break;
      }
  };
  runStages(term, stages, steps());
  return rows;
};
