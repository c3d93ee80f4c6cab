import { withoutUndefined } from "../core/without-undefined.ts";
import type { Conversation, Source } from "../agents/store.ts";
import { AppError } from "../core/errors.ts";
import { isSent } from "./estimate.ts";
import { conversationId, readConversation } from "./find.ts";
import type { ConversationPorts } from "./ports.ts";
import { contextSize, findWindow } from "./size.ts";
import { cutBetween } from "./snippet.ts";
import { findForgotten } from "./stale-usage.ts";

/** A conversation as `ctx list --conversations` shows it; what only its content tells is missing where that cannot be read. */
export type ConversationRow = {
  id: string;
  agent: string;
  title?: string;
  dir?: string;
  /** when its file was last written, by whatever */
  changedMs: number;
  /** when something was last said in it */
  lastMessageMs?: number;
  /** of the transcript; missing where it is rows of a database */
  bytes?: number;
  /** messages the next request carries, and what `ctx size` says of it */
  messages?: number;
  tokens?: number;
  windowTokens?: number;
  subAgent: boolean;
};

const TITLE_CHARS = 120;

/** As its agent calls it, else how the first prompt begins. */
const titleOf = ({ title, messages }: Conversation): string | undefined => {
  const prompts = messages.filter(({ role, isBoundary }) => role === "user" && isBoundary !== true);
  const said = prompts.flatMap(({ parts }) => parts).find(({ kind, text }) => kind === "text" && text.trim());
  const line = (title ?? said?.text ?? "").trim().split("\n")[0] ?? "";
  return line === "" ? undefined : cutBetween(line, 0, TITLE_CHARS);
};

const readRow = async (source: Source, ports: ConversationPorts): Promise<Partial<ConversationRow>> => {
  const open = await readConversation(source);
  const { conversation, store } = open;
  const title = titleOf(conversation);
  const dir = source.dir ?? conversation.dir;
  const windowTokens = await findWindow(open, ports);
  const forgotten = findForgotten(ports, conversation);
  const { charsPerToken } = store;
  const lastMessageMs = conversation.messages.findLast(({ atMs }) => atMs !== undefined)?.atMs;
  return {
    ...withoutUndefined({ title, dir, lastMessageMs }),
    messages: conversation.messages.filter(isSent).length,
    tokens: contextSize(conversation, { charsPerToken, forgotten, windowTokens }).tokens,
    ...(windowTokens === undefined ? {} : { windowTokens }),
    subAgent: conversation.isSubAgent,
  };
};

/** Describes conversations; each is read whole. One that cannot be read is a row all the same, and a problem in words. */
export const describeConversations = async (
  sources: readonly Source[],
  ports: ConversationPorts,
): Promise<{ rows: ConversationRow[]; problems: string[] }> => {
  const rows: ConversationRow[] = [];
  const problems: string[] = [];
  for (const source of sources) {
    const { agent, format, mtimeMs, sizeBytes, isSubAgent } = source;
    const row: ConversationRow = {
      id: conversationId(source),
      agent,
      changedMs: mtimeMs,
      ...(format === "rows" ? {} : { bytes: sizeBytes }),
      ...(source.dir === undefined ? {} : { dir: source.dir }),
      subAgent: isSubAgent,
    };
    try {
      rows.push({ ...row, ...(await readRow(source, ports)) });
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      rows.push(row);
      problems.push(error.message);
    }
  }
  return { rows, problems };
};
