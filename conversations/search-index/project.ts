import { readFileSync } from "node:fs";
import { crc32 } from "node:zlib";
import { readJsonLines } from "../../agents/jsonl.ts";
import type { ContextState, Conversation, Entry, Message, Source, Store } from "../../agents/store.ts";
import type { IndexedConversation } from "./manifest.ts";
import type { IndexedPart } from "./part.ts";
import { encodeStates } from "./states.ts";

/** What a conversation adds to the index since it was last read. */
export type Projection = Pick<
  IndexedConversation,
  "doneBytes" | "checksum" | "entries" | "states" | "dir" | "isSubAgent"
> & {
  /** false: earlier entries of it are void, this is all of it */
  isAppend: boolean;
  parts: IndexedPart[];
};

const contentKey = ({ role, parts }: Message): string =>
  `${role}:${parts.map(({ kind, text }) => `${kind}${text.length}${text.slice(0, 48)}`).join("|")}`;

/** State of every message by id. A message whose copy is sent (a branch or a checkpoint repeats it) counts as sent. */
const statesById = ({ messages }: Conversation): Map<string, ContextState> => {
  const sent = new Set(messages.filter(({ context }) => context === "in").map(contentKey));
  const isCopied = (message: Message): boolean =>
    message.context !== "in" && message.context !== "not-sent" && sent.has(contentKey(message));
  return new Map(messages.map((message) => [message.id, isCopied(message) ? "in" : message.context]));
};

const statesOf = (conversation: Conversation, entries: readonly Entry[]): string => {
  const byId = statesById(conversation);
  return encodeStates(entries.map(({ messageId }) => byId.get(messageId) ?? "in"));
};

const toParts = (
  entries: readonly Entry[],
  { ordinal, atMs }: { ordinal: number; atMs: number },
): IndexedPart[] => {
  // An entry without a date is as old as the one before it; the first ones (a summary) as the first that has one.
  let last = entries.find((entry) => entry.atMs !== undefined)?.atMs ?? atMs;
  return entries.flatMap((entry, index) => {
    last = entry.atMs ?? last;
    const atSeconds = Math.max(0, Math.trunc(last / 1000));
    return entry.parts
      .filter(({ kind, text }) => kind !== "notice" && kind !== "image" && text !== "")
      .map(({ kind, text, tool }) => ({
        ordinal: ordinal + index,
        atSeconds,
        role: entry.role,
        kind,
        messageId: entry.messageId,
        text: kind === "tool-call" && tool !== undefined ? `${tool} ${text}` : text,
      }));
  });
};

const projectWhole = async (store: Store, source: Source): Promise<Projection> => {
  const { conversation } = await store.load(source);
  const entries = conversation.messages
    .filter(({ context }) => context !== "not-sent")
    .map(({ id, role, parts, atMs }): Entry => ({
      messageId: id,
      role,
      parts,
      ...(atMs === undefined ? {} : { atMs }),
    }));
  return {
    isAppend: false,
    parts: toParts(entries, { ordinal: 0, atMs: source.mtimeMs }),
    doneBytes: 0,
    checksum: 0,
    entries: entries.length,
    states: statesOf(conversation, entries),
    dir: conversation.dir ?? source.dir ?? "",
    isSubAgent: conversation.isSubAgent,
  };
};

/** A transcript of lines: entries of complete lines after the ones that are indexed, if those are still the same. */
const projectLines = (
  source: Source,
  known: IndexedConversation | undefined,
  { entriesOf, fromLines }: Required<Pick<Store, "entriesOf" | "fromLines">>,
): Projection => {
  const bytes = readFileSync(source.path);
  const isAppend =
    known !== undefined &&
    known.doneBytes <= bytes.length &&
    crc32(bytes.subarray(0, known.doneBytes)) === known.checksum;
  const doneBefore = isAppend ? known.doneBytes : 0;
  const ordinal = isAppend ? known.entries : 0;
  const lines = readJsonLines(bytes);
  const read = lines.records.flatMap((record) =>
    entriesOf(record).map((entry) => ({ entry, isNew: record.start >= doneBefore })),
  );
  const fresh = read.filter(({ isNew }) => isNew).map(({ entry }) => entry);
  const conversation = fromLines(source, lines);
  return {
    isAppend,
    parts: toParts(fresh, { ordinal, atMs: source.mtimeMs }),
    doneBytes: lines.completeBytes,
    checksum: crc32(bytes.subarray(0, lines.completeBytes)),
    entries: ordinal + fresh.length,
    states: statesOf(
      conversation,
      read.map(({ entry }) => entry),
    ),
    dir: conversation.dir ?? source.dir ?? "",
    isSubAgent: conversation.isSubAgent,
  };
};

/** Reads what is new of a conversation. */
export const projectSource = async (
  store: Store,
  source: Source,
  known: IndexedConversation | undefined,
): Promise<Projection> => {
  const { entriesOf, fromLines } = store;
  return entriesOf && fromLines && source.format === "lines" && !source.path.endsWith(".zst")
    ? projectLines(source, known, { entriesOf, fromLines })
    : projectWhole(store, source);
};
