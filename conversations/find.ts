import { watchClosed } from "../agents/files.ts";
import { AGENTS, type Agent } from "../agents/index.ts";
import type { Loaded, Source, Store } from "../agents/store.ts";
import { AppError, errorText, systemCode } from "../core/errors.ts";
import type { ConversationPorts } from "./ports.ts";

export type OpenConversation = Loaded & { store: Store; source: Source };

const agents = (): [string, Agent][] => Object.entries(AGENTS);

export const getStore = async (agent: string): Promise<Store> => {
  const store = await agents()
    .find(([id]) => id === agent)?.[1]
    .store?.();
  if (!store)
    throw new AppError(
      "usage",
      `agent "${agent}" keeps no conversations that are known here; agents that do: ${storeNames().join(", ")}`,
    );
  return store;
};

export const storeNames = (): string[] => agents().flatMap(([id, agent]) => (agent.store ? [id] : []));

/** Conversations, unread, and what keeps others from being listed, in words. */
export type Listing = { sources: Source[]; problems: string[] };

const listOf = async ([, agent]: [string, Agent], ports: ConversationPorts): Promise<Listing> => {
  const lister = await agent.sources?.();
  const { value: files, closed } = watchClosed(() => lister?.files?.(ports) ?? []);
  const databases = lister?.databases?.(ports) ?? [];
  const problems = [...closed].map((folder) => `${folder} cannot be read: permission denied`);
  if (databases.length === 0) return { sources: files, problems };
  const store = await agent.store?.();
  const rows = await Promise.all(
    databases.map(async ({ path }) => {
      try {
        return (await store?.listRows?.(path)) ?? [];
      } catch (error) {
        // One agent's broken database must not hide the others' conversations.
        if (!(error instanceof AppError)) throw error;
        problems.push(error.message);
        return [];
      }
    }),
  );
  return { sources: [...files, ...rows.flat()], problems };
};

/** Whether any agent has left anything at all; databases are not opened for it. */
export const isAnythingThere = async (ports: ConversationPorts): Promise<boolean> => {
  for (const [, agent] of agents()) {
    const lister = await agent.sources?.();
    if ((lister?.files?.(ports).length ?? 0) > 0 || (lister?.databases?.(ports).length ?? 0) > 0) return true;
  }
  return false;
};

/** Every conversation on this machine, or of one agent, newest first. */
export const listConversations = async (ports: ConversationPorts, agent?: string): Promise<Listing> => {
  const wanted = agents().filter(([id]) => agent === undefined || id === agent);
  const found = await Promise.all(wanted.map((each) => listOf(each, ports)));
  const sources = found.flatMap((each) => each.sources).sort((a, b) => b.mtimeMs - a.mtimeMs);
  return { sources, problems: found.flatMap(({ problems }) => problems) };
};

export const listSources = async (ports: ConversationPorts): Promise<Source[]> =>
  (await listConversations(ports)).sources;

export const conversationId = ({ agent, id }: { agent: string; id: string }): string => `${agent}:${id}`;

export const messageId = (conversation: { agent: string; id: string }, message: string): string =>
  `${conversationId(conversation)}/${message}`;

const splitAgent = (id: string): { agent?: string; native: string } => {
  const colon = id.indexOf(":");
  const agent = colon === -1 ? undefined : id.slice(0, colon);
  return agent !== undefined && storeNames().includes(agent)
    ? { agent, native: id.slice(colon + 1) }
    : { native: id };
};

/** The id of the conversation an agent says it is in, from its environment. */
export const findCurrentConversation = async ({ env }: ConversationPorts): Promise<string | undefined> => {
  for (const [id, agent] of agents()) {
    const variable = (await agent.store?.())?.conversationVariable;
    const native = variable === undefined ? undefined : env[variable];
    if (native) return `${id}:${native}`;
  }
  return undefined;
};

/** Whether the agent's own resume knows the conversation by an id that begins so. */
const isResumedBy = ({ resumePrefix }: Source, id: string): boolean =>
  resumePrefix !== undefined && id !== "" && (id.startsWith(resumePrefix) || resumePrefix.startsWith(id));

/**
 * The conversation of an id (`<agent>:<native id>`, a native id, or a prefix that fits only one).
 * @throws AppError `not-found`; `usage` when a prefix fits several, naming them
 */
export const findSource = async (id: string, ports: ConversationPorts): Promise<Source> => {
  const { agent, native } = splitAgent(id);
  const { sources, problems } = await listConversations(ports, agent);
  const exact = sources.filter((source) => source.id === native);
  if (exact[0]) return exact[0];
  const named = sources.filter((source) => source.id.startsWith(native));
  const matching = named.length > 0 ? named : sources.filter((source) => isResumedBy(source, native));
  // A conversation may lie in two places (a copy, a link): the newest counts.
  const names = [...new Set(matching.map(conversationId))];
  const [only] = matching;
  if (!only || native === "")
    throw new AppError(
      "not-found",
      [`no conversation ${id}; list them with: ctx list --conversations`, ...problems].join("\n"),
    );
  if (names.length > 1)
    throw new AppError(
      "usage",
      `${id} fits ${names.length} conversations (${names.slice(0, 5).join(", ")}); give more of the id`,
    );
  return only;
};

/**
 * Reads a conversation whole.
 * @throws AppError `not-found` when it has gone meanwhile, `unavailable` when it cannot be read
 */
export const readConversation = async (source: Source): Promise<OpenConversation> => {
  const store = await getStore(source.agent);
  try {
    return { store, source, ...(await store.load(source)) };
  } catch (error) {
    const code = systemCode(error);
    if (error instanceof AppError || code === undefined) throw error;
    throw new AppError(
      code === "ENOENT" ? "not-found" : "unavailable",
      `cannot read ${conversationId(source)}: ${errorText(error)}`,
      { cause: error },
    );
  }
};

/** Reads a conversation whole; without an id, or with `-`, the one the environment names. */
export const openConversation = async (
  id: string | undefined,
  ports: ConversationPorts,
): Promise<OpenConversation> => {
  const wanted = id === undefined || id === "-" ? await findCurrentConversation(ports) : id;
  if (wanted === undefined)
    throw new AppError(
      "usage",
      "which conversation? Give its id; agent-search and ctx list --conversations show them",
    );
  return readConversation(await findSource(wanted, ports));
};
