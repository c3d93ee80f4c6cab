import type { Conversation } from "../agents/store.ts";
import type { OpenConversation } from "./find.ts";
import type { ConversationPorts } from "./ports.ts";
import { type Calibration, calibrate, estimateTokens, findLastUsage } from "./estimate.ts";

/** Where the figure comes from: measured by the agent, measured but for the tail, or counted from the text. */
export type SizeSource = "usage" | "usage and estimate" | "estimate" | "usage minus what was forgotten";

export type ContextSize = {
  tokens: number;
  /** the true figure lies within tokens ± this, nine times of ten */
  errorTokens: number;
  windowTokens: number | undefined;
  /** share of the window, 0 to 1 */
  share: number | undefined;
  source: SizeSource;
  /** messages the next request carries */
  messages: number;
  tokensPerChar: number;
};

/** What was forgotten since the agent last reported its usage: that report still counts it. */
export type Forgotten = { tokens: number; errorTokens: number };

export type SizeOptions = {
  charsPerToken: number;
  forgotten?: Forgotten | undefined;
  /** of the conversation's model, where its agent knows it; see `findWindow` */
  windowTokens?: number | undefined;
};

const LEAST_ERROR_SHARE = 0.005;
// Where no usage is known, the system prompt and the tools are not in the transcript either.
const HIDDEN_TOKENS = 12_000;

const measure = (conversation: Conversation, calibration: Calibration) => {
  const { sent, index } = findLastUsage(conversation);
  const { tokensPerChar, errorShare } = calibration;
  const last = sent[index];
  const countFrom = (from: number) =>
    sent.slice(from).reduce((sum, message) => sum + estimateTokens(message, tokensPerChar), 0);
  if (!last?.usage) {
    const counted = countFrom(0);
    return {
      base: 0,
      counted: counted + HIDDEN_TOKENS,
      error: counted * errorShare + HIDDEN_TOKENS / 2,
      sent,
    };
  }
  const { inputTokens, outputTokens, isOutputExact } = last.usage;
  const base = inputTokens + (isOutputExact ? outputTokens : 0);
  const counted = countFrom(isOutputExact ? index + 1 : index);
  return { base, counted, error: counted * errorShare + base * LEAST_ERROR_SHARE, sent };
};

/** The context window of a conversation's model: as its agent knows it, else by the model's name. */
export const findWindow = async (
  { store, conversation }: Pick<OpenConversation, "store" | "conversation">,
  ports: ConversationPorts,
): Promise<number | undefined> =>
  (await store.findWindow?.(conversation, ports)) ?? conversation.windowTokens;

/** Tokens the next request of a conversation would carry. */
export const contextSize = (
  conversation: Conversation,
  { charsPerToken, forgotten, windowTokens = conversation.windowTokens }: SizeOptions,
): ContextSize => {
  const calibration = calibrate(conversation.messages, charsPerToken);
  const { base, counted, error, sent } = measure(conversation, calibration);
  const less = base > 0 && forgotten ? forgotten : { tokens: 0, errorTokens: 0 };
  const tokens = Math.max(0, Math.round(base + counted - less.tokens));
  return {
    tokens,
    errorTokens: Math.round(error + less.errorTokens),
    windowTokens,
    share: windowTokens === undefined ? undefined : tokens / windowTokens,
    source: sourceOf(base, counted, less.tokens),
    messages: sent.length,
    tokensPerChar: calibration.tokensPerChar,
  };
};

const sourceOf = (base: number, counted: number, forgotten: number): SizeSource => {
  if (base === 0) return "estimate";
  if (forgotten > 0) return "usage minus what was forgotten";
  return counted === 0 ? "usage" : "usage and estimate";
};
