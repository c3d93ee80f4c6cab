import type { Conversation, Message } from "../agents/store.ts";

/** What an image costs when nothing better is known; vendors charge by area, this is a usual screenshot. */
const IMAGE_TOKENS = 1500;

export const isSent = ({ context }: Message): boolean => context === "in" || context === "cleared";

/** Characters of a message that count as tokens: thinking of earlier turns is not sent again. */
export const sentChars = (message: Message): number =>
  message.context === "cleared"
    ? 0
    : message.parts.reduce((sum, part) => sum + (part.kind === "thinking" ? 0 : part.text.length), 0);

const imageTokens = (message: Message): number =>
  message.parts.filter((part) => part.kind === "image").length * IMAGE_TOKENS;

export const estimateTokens = (message: Message, tokensPerChar: number): number =>
  Math.round(sentChars(message) * tokensPerChar) + imageTokens(message);

/** A stretch between two requests of one conversation whose sizes are both known. */
export type Step = { chars: number; tokens: number; from: number };

const MIN_STEP_CHARS = 200;

/**
 * Steps to learn from: consecutive calls in the context, nothing typed between them (a prompt brings
 * hidden text of the harness along).
 */
export const measureSteps = (messages: readonly Message[]): Step[] => {
  const sent = messages.filter(isSent);
  const steps: Step[] = [];
  let last = -1;
  for (const [index, message] of sent.entries()) {
    const usage = message.usage;
    if (!usage) continue;
    const before = sent[last];
    if (before?.usage && message.usage) {
      const between = sent.slice(last, index);
      const isToolStep = !between.some((each) => each.role === "user");
      const chars = between.reduce((sum, each) => sum + sentChars(each), 0);
      const tokens = usage.inputTokens - before.usage.inputTokens;
      if (isToolStep && tokens > 0 && chars >= MIN_STEP_CHARS)
        steps.push({ chars, tokens, from: before.usage.inputTokens });
    }
    last = index;
  }
  return steps;
};

const percentile = (values: readonly number[], share: number): number | undefined => {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
};

export type Calibration = {
  tokensPerChar: number;
  /** steps it was learned from; 0: the agent's usual figure */
  steps: number;
  /** tokens by which nine of ten predictions were off at most, relative to what was predicted */
  errorShare: number;
};

const MIN_STEPS = 5;
const PLAUSIBLE = { least: 0.1, most: 1.2 };
const UNTAUGHT_ERROR = 0.35;

/** How many tokens a character costs in this conversation, learned from its own usage figures. */
export const calibrate = (messages: readonly Message[], charsPerToken: number): Calibration => {
  const steps = measureSteps(messages).filter(({ chars, tokens }) => {
    const ratio = tokens / chars;
    return ratio >= PLAUSIBLE.least && ratio <= PLAUSIBLE.most;
  });
  if (steps.length < MIN_STEPS)
    return { tokensPerChar: 1 / charsPerToken, steps: 0, errorShare: UNTAUGHT_ERROR };
  const chars = steps.reduce((sum, step) => sum + step.chars, 0);
  const tokens = steps.reduce((sum, step) => sum + step.tokens, 0);
  const tokensPerChar = tokens / chars;
  const errors = steps.map(
    (step) => Math.abs(step.tokens - step.chars * tokensPerChar) / (step.chars * tokensPerChar),
  );
  return { tokensPerChar, steps: steps.length, errorShare: percentile(errors, 0.9) ?? UNTAUGHT_ERROR };
};

/** The last message with usage that is still in the context, by index among the sent ones. */
export const findLastUsage = (conversation: Conversation): { sent: Message[]; index: number } => {
  const sent = conversation.messages.filter(isSent);
  return { sent, index: sent.findLastIndex((message) => message.usage) };
};
