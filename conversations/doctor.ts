import type { Conversation } from "../agents/store.ts";
import { AppError } from "../core/errors.ts";
import { findContextFaults } from "./check-context.ts";
import { conversationId, type OpenConversation } from "./find.ts";
import { type ForgetReport, forgetMessages } from "./forget.ts";
import type { ConversationPorts } from "./ports.ts";

export type Diagnosis = {
  conversation: string;
  /** what the provider would refuse, or the agent has to patch up when it loads the conversation */
  broken: { message: string; fault: string }[];
  /** what is wrong with the file and does no harm to the context that is left */
  remarks: string[];
};

/** A call at the very end may simply not have been answered yet. */
const openEnd = (conversation: Conversation): string | undefined =>
  conversation.messages.findLast(({ context }) => context === "in")?.id;

export const diagnose = (conversation: Conversation): Diagnosis => ({
  conversation: conversationId(conversation),
  broken: findContextFaults(conversation).map(({ id, fault }) => ({
    message: id,
    fault:
      id === openEnd(conversation) ? `${fault} (it is the last message: perhaps not answered yet)` : fault,
  })),
  remarks: conversation.faults,
});

/**
 * Repairs a conversation by forgetting what breaks it: halves of tool pairs, and answers before the first
 * prompt. Same lever, journal and proof as `forgetMessages`.
 * @throws AppError `bad-data` when nothing is broken
 */
export const repair = async (
  open: OpenConversation,
  { ports, dryRun }: { ports: ConversationPorts; dryRun: boolean },
): Promise<ForgetReport> => {
  const named = [...new Set(diagnose(open.conversation).broken.map(({ message }) => message))];
  if (named.length === 0)
    throw new AppError("bad-data", `${conversationId(open.conversation)} is sound: nothing to repair`);
  return forgetMessages(open, { named, options: { dryRun, what: "repair" }, ports });
};
