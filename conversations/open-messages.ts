import { existsSync, readFileSync } from "node:fs";
import type { Message, Source } from "../agents/store.ts";
import { AppError, systemCode } from "../core/errors.ts";
import {
  findCurrentConversation,
  listSources,
  openConversation,
  type OpenConversation,
  readConversation,
} from "./find.ts";
import type { ConversationPorts } from "./ports.ts";

/** The message an id or a beginning of one names; bare `…/` prefixes of the conversation are gone by now. */
const resolveMessage = (messages: readonly Message[], id: string): string => {
  if (id === "") throw new AppError("usage", "which message? ctx list and ctx search show their ids");
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

/** Where the agent gives messages no ids, the line stands for one: every other conversation has such a line too. */
const LINE_ID = /^L\d+(\.\d+)?$/;

/** Whether the bytes on disk have a chance to be those of a conversation with this message. */
const mayHold = ({ path }: Source, message: string): boolean =>
  [path, `${path}-wal`].some((file) => existsSync(file) && readFileSync(file).includes(message));

/** A bare message id belongs to the newest conversation that has it; one that only mentions it does not count. */
const findByMessage = async (message: string, ports: ConversationPorts): Promise<OpenConversation> => {
  const current = await findCurrentConversation(ports);
  if (current !== undefined) return openConversation(current, ports);
  if (message === "" || LINE_ID.test(message))
    throw new AppError("usage", `message ${message} of which conversation? Name it with --conversation`);
  const files = new Map<string, boolean>();
  for (const source of await listSources(ports)) {
    try {
      if (!files.has(source.path)) files.set(source.path, mayHold(source, message));
      if (files.get(source.path) !== true && source.format !== "document") continue;
      const open = await readConversation(source);
      if (open.conversation.messages.some(({ id }) => id.startsWith(message))) return open;
    } catch (error) {
      // One that is closed to us does not keep the message from being found in another.
      if (!(error instanceof AppError) && systemCode(error) === undefined) throw error;
    }
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
      `these messages belong to ${parents.size} conversations; name messages of one conversation at a time`,
    );
  const [parent] = parents;
  const open =
    parent === undefined ? await findByMessage(first.native, ports) : await openConversation(parent, ports);
  return { open, named: split.map(({ native }) => resolveMessage(open.conversation.messages, native)) };
};
