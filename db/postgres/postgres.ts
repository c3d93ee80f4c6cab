import type { SqlParameter } from "./connection.ts";

export type { SqlParameter } from "./connection.ts";

/**
 * Statements with `$1`, `$2` …, each prepared once per session: give lists as arrays (`= ANY($1)`), so that
 * there are few different ones. `bigint` columns are read as numbers. U+0000 in
 * a text is sent as U+FFFD.
 */
export type Queries = {
  /** the first row */
  get: <Row>(text: string, values?: readonly SqlParameter[]) => Promise<Row | undefined>;
  all: <Row>(text: string, values?: readonly SqlParameter[]) => Promise<Row[]>;
  /** @returns the number of rows changed */
  run: (text: string, values?: readonly SqlParameter[]) => Promise<number>;
  /** statements without values, several at once: migrations and settings; @returns the rows of the last one */
  exec: <Row>(text: string) => Promise<Row[]>;
};

/** One transaction. Statements may be sent without waiting for the one before; they run in order. */
export type Transaction = Queries & {
  /** Undoes only itself when `work` throws. */
  savepoint: <T>(work: () => Promise<T>) => Promise<T>;
  /** Told to every listener of every server when, and only when, the transaction is committed. */
  notify: (channel: string, payload: string) => Promise<void>;
};

export type TransactionOptions = { isolation?: "read committed" | "repeatable read" | "serializable" };

export type Subscription = {
  onMessage: (payload: string) => void;
  /**
   * Messages may have been missed: told when the connection is lost, and again when it is there again. Drop
   * what was remembered.
   */
  onGap: () => void;
};

export type Listening = {
  /** whether messages come at present; while they do not, nothing remembered may be trusted */
  isListening: () => boolean;
  stop: () => Promise<void>;
};

/**
 * A PostgreSQL database that any number of servers share. Every method fails with an AppError `unavailable`
 * that says when to try again while the database cannot serve us (lost, starting, read-only, full, slow, no
 * connection free); what it acknowledged is committed.
 */
export type Postgres = Queries & {
  /** the address without the password, for people */
  target: string;
  /** Commits what `work` did, or nothing. Runs it again when others were in the way (deadlock, serialization). */
  transaction: <T>(work: (tx: Transaction) => Promise<T>, options?: TransactionOptions) => Promise<T>;
  /** Resolves when messages come (also told by `onGap`). */
  listen: (channel: string, subscription: Subscription) => Promise<Listening>;
  ping: () => Promise<void>;
  /** Waits for what runs and closes every connection. */
  close: () => Promise<void>;
};
