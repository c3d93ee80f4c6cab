import { readFileSync } from "node:fs";
import type { Message } from "../agents/store.ts";
import { AppError } from "../core/errors.ts";
import {
  conversationId,
  findCurrentConversation,
  listSources,
  openConversation,
  type OpenConversation,
} from "./find.ts";
import type { ConversationPorts } from "./ports.ts";

/** The message an id or a beginning of one names; bare `…/` prefixes of the conversation are gone by now. */
const resolveMessage = (messages: readonly Message[], id: string): string => {
  if (messages.some((message) => message.id === id)) return id;
  const matching = messages.filter((message) => message.id.startsWith(id));
  const [only, ...more] = matching;
  if (!only)
    throw new AppError("not-found", `no message ${id} in this conversation; see them with: ctx list`);
  if (more.length > 0)
    throw new AppError(
      "usage",
      `${id} fits ${matching.length} messages (${only.id}, ${more[0]?.id}…); give more of the id`,
    );
  return only.id;
};

/** A bare message id belongs to the newest transcript that holds it. */
const findByMessage = async (message: string, ports: ConversationPorts): Promise<string> => {
  const current = await findCurrentConversation(ports);
  if (current !== undefined) return current;
  for (const source of await listSources(ports)) {
    if (source.format === "rows" || source.path.endsWith(".zst")) continue;
    if (readFileSync(source.path).includes(message)) return conversationId(source);
  }
  throw new AppError("not-found", `no conversation holds a message ${message}; name it with --conversation`);
};

/**
 * The one conversation that message ids belong to, open, and their native ids.
 * @throws AppError `usage` when they belong to several, `not-found`
 */
export const openMessages = async (
  ids: readonly string[],
  { conversation, ports }: { conversation: string | undefined; ports: ConversationPorts },
): Promise<{ open: OpenConversation; named: string[] }> => {
  const split = ids.map((id) => {
    const slash = id.indexOf("/");
    return { parent: slash === -1 ? undefined : id.slice(0, slash), native: id.slice(slash + 1) };
  });
  const first = split[0];
  if (!first) throw new AppError("usage", "which messages? ctx list and ctx search show their ids");
  const parents = new Set(split.flatMap(({ parent }) => parent ?? []));
  if (conversation !== undefined) parents.add(conversation);
  if (parents.size > 1)
    throw new AppError(
      "usage",
      `these messages are of ${parents.size} conversations; forget them one conversation at a time`,
    );
  const parent = [...parents][0] ?? (await findByMessage(first.native, ports));
  const open = await openConversation(parent, ports);
  return { open, named: split.map(({ native }) => resolveMessage(open.conversation.messages, native)) };
};
