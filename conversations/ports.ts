import type { StorePorts } from "../agents/store.ts";
import { type Environment, homeFolder } from "../core/paths.ts";

/** The world as the functions of this folder see it. */
export type ConversationPorts = StorePorts & { now: () => number };

export const conversationPorts = (env: Environment, now: () => number = Date.now): ConversationPorts => ({
  env,
  home: homeFolder(env),
  now,
});
