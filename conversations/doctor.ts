import type { Conversation, Source } from "../agents/store.ts";
import { AppError } from "../core/errors.ts";
import { findContextFaults } from "./check-context.ts";
import { conversationId, type OpenConversation, readConversation } from "./find.ts";
import { type ForgetReport, forgetMessages } from "./forget.ts";
import { findCutOff, mend, type MendReport } from "./mend.ts";
import type { ConversationPorts } from "./ports.ts";

export type Diagnosis = {
  conversation: string;
  /** what the provider would refuse, or the agent has to patch up when it loads the conversation */
  broken: { message: string; fault: string }[];
  /** messages that are not sent because a line of the chain to them is missing */
  cutOff?: number;
  /** what is wrong with the file and does no harm to the context that is left */
  remarks: string[];
  /** why nothing is known about it */
  unreadable?: string;
};

/** A call at the very end may simply not have been answered yet. */
const isOpenEnd = ({ messages }: Conversation, id: string): boolean => {
  const last = messages.findLast(({ context }) => context === "in");
  return last?.id === id && last.parts.some(({ kind }) => kind === "tool-call");
};

export const diagnose = (conversation: Conversation): Diagnosis => ({
  conversation: conversationId(conversation),
  broken: findContextFaults(conversation).map(({ id, fault }) => ({
    message: id,
    fault: isOpenEnd(conversation, id)
      ? `${fault} (it is the last message: perhaps not answered yet)`
      : fault,
  })),
  remarks: conversation.faults,
});

/** Looks at a conversation; one that cannot be read does not keep the others from being looked at. */
export const diagnoseSource = async (source: Source): Promise<Diagnosis> => {
  try {
    const open = await readConversation(source);
    const cutOff = findCutOff(open, 0)?.messages;
    return { ...diagnose(open.conversation), ...(cutOff === undefined ? {} : { cutOff }) };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { conversation: conversationId(source), broken: [], remarks: [], unreadable: error.message };
  }
};

/**
 * Repairs a conversation: first what a missing line has cut off is joined again; then, asked again, what breaks
 * it is forgotten: halves of tool pairs, and answers before the first prompt. Same lever, journal and proof as
 * `forgetMessages`.
 * @throws AppError `bad-data` when nothing is broken
 */
export const repair = async (
  open: OpenConversation,
  { ports, dryRun }: { ports: ConversationPorts; dryRun: boolean },
): Promise<ForgetReport | MendReport> => {
  const cutOff = findCutOff(open, ports.now());
  if (cutOff) return mend(open, { cutOff, ports, dryRun });
  const named = [...new Set(diagnose(open.conversation).broken.map(({ message }) => message))];
  if (named.length === 0)
    throw new AppError("bad-data", `${conversationId(open.conversation)} is sound: nothing to repair`);
  return forgetMessages(open, { named, options: { dryRun, what: "repair" }, ports });
};
