import { closeSync, fstatSync, openSync, readFileSync, readSync } from "node:fs";
import { crc32 } from "node:zlib";
import { readJsonLines } from "../../agents/jsonl.ts";
import type { ContextState, Conversation, Entry, Message, Source, Store } from "../../agents/store.ts";
import type { IndexedPart } from "./block.ts";
import type { IndexedFile } from "./file-head.ts";

/** What a conversation adds to the index since it was last read. */
export type Projection = {
  /** false: earlier entries of it are void, this is all of it */
  isAppend: boolean;
  parts: IndexedPart[];
  doneBytes: number;
  lines: number;
  entries: number;
  hash: string;
  states: ContextState[] | undefined;
  dir: string;
  /** some say so in the file only (Codex) */
  isSubAgent: boolean;
};

const contentKey = ({ role, parts }: Message): string =>
  `${role}:${parts.map(({ kind, text }) => `${kind}${text.length}${text.slice(0, 48)}`).join("|")}`;

/**
 * State of every message by id. A message whose copy is sent (a branch or a checkpoint repeats it) counts
 * as sent.
 */
export const statesById = (conversation: Conversation): Map<string, ContextState> => {
  let copies: Set<string> | undefined;
  const isCopied = (message: Message): boolean => {
    if (message.context === "in" || message.context === "not-sent") return false;
    copies ??= new Set(conversation.messages.filter(({ context }) => context === "in").map(contentKey));
    return copies.has(contentKey(message));
  };
  return new Map(
    conversation.messages.map((message) => [message.id, isCopied(message) ? "in" : message.context]),
  );
};

const toParts = (
  entries: readonly Entry[],
  { ordinal, atMs }: { ordinal: number; atMs: number },
): IndexedPart[] => {
  const parts: IndexedPart[] = [];
  // An entry without a date is as old as the one before it; the first ones (a summary) as the first that has one.
  let last = entries.find((entry) => entry.atMs !== undefined)?.atMs ?? atMs;
  for (const [index, entry] of entries.entries()) {
    last = entry.atMs ?? last;
    for (const { kind, text, tool } of entry.parts) {
      if (kind === "notice" || kind === "image" || text === "") continue;
      parts.push({
        ordinal: ordinal + index,
        atSeconds: Math.trunc(last / 1000),
        role: entry.role,
        kind,
        messageId: entry.messageId,
        text: kind === "tool-call" && tool !== undefined ? `${tool} ${text}` : text,
      });
    }
  }
  return parts;
};

/** Tells an append from a rewrite; nobody is kept from forging it, and nobody would gain by it. */
const sumOf = (bytes: Buffer): string => `${bytes.length.toString(36)}-${crc32(bytes).toString(36)}`;

/** Larger ones are looked up when a hit of theirs is shown: reading them whole at every append would not pay. */
const STATES_UP_TO_BYTES = 32 << 20;

const projectWhole = async (store: Store, source: Source): Promise<Projection> => {
  const { conversation } = await store.load(source);
  const states = statesById(conversation);
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
    doneBytes: source.sizeBytes,
    lines: 0,
    entries: entries.length,
    hash: "",
    states: entries.map(({ messageId }) => states.get(messageId) ?? "in"),
    dir: conversation.dir ?? source.dir ?? "",
    isSubAgent: conversation.isSubAgent,
  };
};

const NEWLINE = 10;

/** Larger files are read into room of their own, which is not kept. */
const POOL_BYTES = 8 << 20;
let pool: Buffer | undefined;

/**
 * A file in room that is used again for the next one: a build reads thousands, and fresh memory for each
 * costs as much as reading it. What is kept of a file is copied out of here before the next is read.
 */
const readTranscript = (path: string): Buffer => {
  const handle = openSync(path, "r");
  try {
    if (fstatSync(handle).size >= POOL_BYTES) return readFileSync(handle);
    pool ??= Buffer.allocUnsafeSlow(POOL_BYTES);
    let length = 0;
    for (let read = -1; read !== 0 && length < POOL_BYTES; length += read)
      read = readSync(handle, pool, length, POOL_BYTES - length, length);
    // It has grown while it was read: what came is for the next time.
    return pool.subarray(0, length);
  } finally {
    closeSync(handle);
  }
};

/**
 * Entries of complete lines after the ones that are indexed, if what is indexed is still there unchanged.
 * Files of usual size are parsed whole, for the context state of every message; of a large one that has
 * grown only what is new is read, and its states are looked up when a hit of it is shown.
 */
const projectLines = (store: Store, source: Source, known: IndexedFile | undefined): Projection => {
  const bytes = readTranscript(source.path);
  const isAppend =
    known !== undefined &&
    known.doneBytes <= bytes.length &&
    sumOf(bytes.subarray(0, known.doneBytes)) === known.hash;
  const isWhole = !isAppend || bytes.length <= STATES_UP_TO_BYTES;
  const from = isWhole ? 0 : known.doneBytes;
  const unread = bytes.subarray(from);
  const lines = readJsonLines(unread, isWhole ? 1 : known.lines + 1, store.skimmer?.(unread));
  const read = lines.records.map((record) => ({ record, entries: store.entriesOf?.(record) ?? [] }));
  const entries = read
    .filter(({ record }) => !isAppend || from + record.start >= known.doneBytes)
    .flatMap((each) => each.entries);
  const doneBytes = from + lines.completeBytes;
  const ordinal = isAppend ? known.entries : 0;
  const conversation = isWhole ? store.fromLines?.(source, lines) : undefined;
  return {
    isAppend,
    parts: toParts(entries, { ordinal, atMs: source.mtimeMs }),
    doneBytes,
    // Lines that are over; one without its newline yet is read again as the first of the rest.
    lines: bytes.at(-1) === NEWLINE ? lines.lines : lines.lines - 1,
    entries: ordinal + entries.length,
    hash: sumOf(bytes.subarray(0, doneBytes)),
    states: conversation && statesOf(conversation, read),
    dir: conversation?.dir ?? known?.dir ?? source.dir ?? "",
    isSubAgent: conversation?.isSubAgent ?? known?.isSubAgent ?? source.isSubAgent,
  };
};

const statesOf = (
  conversation: Conversation,
  read: readonly { entries: readonly Entry[] }[],
): ContextState[] => {
  const byId = statesById(conversation);
  return read.flatMap(({ entries }) => entries.map(({ messageId }) => byId.get(messageId) ?? "in"));
};

/** Reads what is new of a conversation. */
export const projectSource = async (
  store: Store,
  source: Source,
  known: IndexedFile | undefined,
): Promise<Projection> =>
  store.entriesOf && source.format === "lines" && !source.path.endsWith(".zst")
    ? projectLines(store, source, known)
    : projectWhole(store, source);
