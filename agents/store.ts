import type { JsonLines, JsonRecord } from "./jsonl.ts";

/** What a store may know of the world around it; nothing below reads the environment itself. */
export type StorePorts = { env: Readonly<Record<string, string | undefined>>; home: string };

/** One conversation on disk, before it is read. */
export type Source = {
  agent: string;
  /** native id, as the agent's own resume takes it */
  id: string;
  /** the transcript, or the database that holds it */
  path: string;
  format: "lines" | "document" | "rows";
  /** of the transcript; 0 where it is rows of a database */
  sizeBytes: number;
  mtimeMs: number;
  /** changes whenever its content does */
  stamp: string;
  isSubAgent: boolean;
  /** working directory, when the place on disk tells it without opening the file */
  dir?: string | undefined;
  /** beginning of the id that the agent's own resume takes, where that is another one (Gemini CLI) */
  resumePrefix?: string | undefined;
};

/** A database that holds conversations. While `stamp` stays, so does everything in it. */
export type DatabaseFile = { agent: string; path: string; stamp: string };

/** Where an agent's conversations lie. Only lists and stats: this runs at every search. */
export type SourceLister = {
  files?: (ports: StorePorts) => Source[];
  databases?: (ports: StorePorts) => DatabaseFile[];
};

export type PartKind = "text" | "thinking" | "tool-call" | "tool-result" | "image" | "notice";

/** A piece of a message. `callId` ties a tool call to its result. */
export type Part = {
  kind: PartKind;
  text: string;
  tool?: string;
  callId?: string | undefined;
  isError?: boolean;
};

export type Role = "user" | "assistant" | "tool" | "system";

/** Whether the agent sends a message with its next request, and if not, why. */
export type ContextState =
  | "in"
  | "compacted" // lies before the last compaction
  | "branch" // on a branch that was left, or rolled back
  | "excluded" // taken out on purpose (forgotten, or left out of a checkpoint)
  | "cleared" // its tool result was emptied by the agent itself
  | "sidechain" // belongs to a sub-agent
  | "not-sent"; // shown to people only (errors, notices of the tool)

/** Tokens of the one model call that produced a message. */
export type Usage = {
  /** everything that was sent: fresh input and both caches */
  inputTokens: number;
  outputTokens: number;
  /** false where the agent logs a placeholder for the output (Claude Code does) */
  isOutputExact: boolean;
};

/** A line or row as it is read: what search shows, and what messages are put together from. */
export type Entry = {
  messageId: string;
  role: Role;
  parts: Part[];
  atMs?: number | undefined;
};

export type Message = {
  /** native message id, unique within the conversation */
  id: string;
  role: Role;
  parts: Part[];
  context: ContextState;
  /** things that must leave the context together (beside calls and their results) share a bond */
  bonds: readonly string[];
  /** marks where the context begins (a summary): its text may go, the message itself must stay */
  isBoundary?: boolean;
  atMs?: number | undefined;
  model?: string | undefined;
  usage?: Usage | undefined;
};

/** One conversation as its agent would load it; `messages` are in the order in which they are sent. */
export type Conversation = {
  agent: string;
  id: string;
  path: string;
  messages: Message[];
  /** what is wrong with the file, in words */
  faults: string[];
  isSubAgent: boolean;
  /** what the agent's own resume takes, where it is not the id */
  resumeId?: string | undefined;
  title?: string | undefined;
  dir?: string | undefined;
  model?: string | undefined;
  /** whose model it is, where an agent knows several (pi) */
  provider?: string | undefined;
  windowTokens?: number | undefined;
};

/** What replaces a message that cannot go without breaking the conversation (a first prompt). */
export const FORGOTTEN_TEXT = "[This message was removed from the context with ctx forget.]";

/** One SQL statement with its values. */
export type Statement = { sql: string; values: readonly (string | number | null)[] };

/** What an edit writes. Every kind can be taken back. */
export type EditWrite =
  | { kind: "append"; path: string; content: string }
  | { kind: "files"; changes: readonly { path: string; content: string | undefined }[] }
  | {
      kind: "rows";
      path: string;
      statements: readonly Statement[];
      undo: readonly Statement[];
      /** a purge: the bytes have to go, not only the rows */
      isErasure?: true;
    };

/** A planned change: the conversation as the agent will load it afterwards, and what has to be written. */
export type Edit = { after: Conversation; write: EditWrite };

export type ForgetRequest = {
  /** messages that go */
  remove: ReadonlySet<string>;
  /** messages whose content is replaced by `FORGOTTEN_TEXT` because the first one sent must be the user's */
  stub: ReadonlySet<string>;
  /** for stores that write a copy or need new ids */
  newId: () => string;
  nowMs: number;
};

/** A transcript as it was before an edit, and as it would be now without that edit and later ones of ours. */
export type Past = { before: Buffer; without: Buffer };

/** A conversation with the raw form its store edits. */
export type Loaded<Raw = unknown> = { conversation: Conversation; raw: Raw };

export type StoreTraits = {
  /** how messages are forgotten here, in words */
  lever: string;
  /** whether the first message sent may be replaced by a placeholder (else such a forget is refused) */
  canStub: boolean;
  /** writing is safe while the agent has the conversation open (it takes effect at its next load) */
  isLiveSafe: boolean;
  /** program names by which a running agent is recognised */
  processNames: readonly string[];
  /** variable in which the agent tells its tools the id of their conversation */
  conversationVariable?: string;
  /** characters of text per token, where a conversation has not taught its own figure */
  charsPerToken: number;
};

/**
 * How one agent keeps its conversations on disk, and how they are edited without breaking them. `Raw` is known to
 * the store alone: what takes it is a method, so that stores of every kind are stores to all others.
 */
export type Store<Raw = unknown> = StoreTraits & {
  id: string;
  title: string;
  /** the conversations of a database, for stores that keep one */
  listRows?: (path: string) => Promise<Source[]>;
  /** the part of reading that goes line by line, for stores of lines: the search index follows appends with it */
  entriesOf?: (record: JsonRecord) => Entry[];
  /** the conversation of lines that were read already */
  fromLines?: (source: Source, lines: JsonLines) => Conversation;
  load(source: Source): Promise<Loaded<Raw>>;
  /** plans a forget; pure but for what `load` has read */
  forget(loaded: Loaded<Raw>, request: ForgetRequest): Edit;
  /**
   * Plans bringing back what an append took away, when the conversation has gone on since. Stores that do
   * not append have none.
   */
  restore?(loaded: Loaded<Raw>, past: Past, request: Pick<ForgetRequest, "newId" | "nowMs">): Edit;
  /**
   * Plans joining a context that was cut off to what lies before it in the file (a line hangs on one that is
   * missing). Undefined: nothing is cut off.
   */
  mend?(loaded: Loaded<Raw>, request: Pick<ForgetRequest, "newId" | "nowMs">): Edit | undefined;
  /** plans the physical removal of messages (secrets); what it writes over is not kept */
  purge(loaded: Loaded<Raw>, remove: ReadonlySet<string>): EditWrite;
  /** the context window of the conversation's model, for agents with a list of models of their own */
  findWindow?: (conversation: Conversation, ports: StorePorts) => Promise<number | undefined>;
  /** the command that goes on with the conversation */
  resumeCommand: (conversation: Conversation) => string;
};
