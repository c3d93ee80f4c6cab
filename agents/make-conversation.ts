import { findWindow } from "./context-window.ts";
import type { Conversation, Message, Part, Source } from "./store.ts";

type Read = {
  agent: string;
  messages: Message[];
  faults?: readonly string[];
  isSubAgent?: boolean;
  model: string | undefined;
  windowTokens?: number | undefined;
  title: string | undefined;
  dir?: string | undefined;
  provider?: string | undefined;
  resumeId?: string | undefined;
};

/** A conversation as its store read it; its window is the model's where the store does not know a better one. */
export const makeConversation = (
  { id, path, isSubAgent }: Pick<Source, "id" | "path" | "isSubAgent">,
  { agent, messages, faults = [], model, windowTokens = findWindow(model), ...more }: Read,
): Conversation => ({
  agent,
  id,
  path,
  messages,
  faults: [...faults],
  isSubAgent,
  ...more,
  model,
  windowTokens,
});

const TITLE_CHARS = 80;

/** What a conversation is about, where nobody has named it: the first line of its prompt. */
export const titleOf = (prompt: string | undefined): string | undefined =>
  prompt?.split("\n")[0]?.slice(0, TITLE_CHARS);

/** A message of the user's that holds results alone is the tools'. */
export const isToolMessage = (parts: readonly Part[]): boolean =>
  parts.length > 0 && parts.every(({ kind }) => kind === "tool-result");
