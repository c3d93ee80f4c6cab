import { withoutUndefined } from "../core/without-undefined.ts";
import { findWindow } from "./context-window.ts";
import type { Conversation, Message, Source } from "./store.ts";

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
  ...withoutUndefined({ ...more, model, windowTokens }),
});
