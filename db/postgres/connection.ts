import postgres from "postgres";
import { connectionLost, endsConnection } from "./failure.ts";

export type SqlParameter =
  | string
  | number
  | bigint
  | boolean
  | Uint8Array
  | null
  | readonly string[]
  | readonly number[];

export type Rows<Row> = { rows: Row[]; count: number };

export type ConnectionOptions = {
  url: string;
  connectTimeoutMs: number;
  statementTimeoutMs: number;
  lockTimeoutMs: number;
  idleTransactionTimeoutMs: number;
  onNotification?: (channel: string, payload: string) => void;
};

/** One session with the database. Once it is lost it stays lost; there is no way back to a broken one. */
export type Connection = {
  /** one statement with `$1`, `$2` …, prepared once; queries of one session may be sent without waiting */
  query: <Row>(text: string, values?: readonly SqlParameter[]) => Promise<Rows<Row>>;
  /** statements without values, several at once; @returns what the last one did, in PostgreSQL's word */
  exec: (text: string) => Promise<string>;
  isUsable: () => boolean;
  /** resolves when the session is over, however that came */
  lost: Promise<void>;
  close: () => void;
};

/** PostgreSQL's texts hold every character but U+0000: it becomes the one for what cannot be shown. */
const sendable = <T>(value: T): T | string =>
  typeof value === "string" && value.includes("\u0000") ? value.replaceAll("\u0000", "\ufffd") : value;

const arrayText = (values: readonly unknown[]): string =>
  `{${values.map((value) => (typeof value === "number" ? String(value) : `"${String(sendable(value)).replace(/(["\\])/g, "\\$1")}"`)).join(",")}}`;

const arrayType = (oid: number) => ({
  to: oid,
  from: [],
  serialize: arrayText,
  parse: (text: string) => text,
});

const TYPES = {
  // Times in milliseconds and row numbers: whole numbers below 2^53.
  bigint: { to: 20, from: [20], serialize: String, parse: Number },
  textArray: arrayType(1009),
  integerArray: arrayType(1007),
  bigintArray: arrayType(1016),
  doubleArray: arrayType(1022),
};

/** How much longer than the database's own limit we wait before we take the connection for dead. */
const GRACE_MS = 5000;

/**
 * A client of postgres.js with exactly one connection, thrown away with it. Its own pool uses a connection
 * object again after the connection was lost, with what was left unsent in its buffer and its write timer,
 * and then hangs until the connect timeout, again and again; and a statement of a transaction may run on the
 * next connection outside of any.
 */
export const openConnection = (options: ConnectionOptions): Connection => {
  const waiting = new Set<(error: unknown) => void>();
  let isLost = false;
  let resolveLost = (): void => {};
  const lost = new Promise<void>((resolve) => (resolveLost = resolve));

  const sql = postgres(
    options.url,
    clientOptions(options, () => lose(connectionLost("connection closed"))),
  );

  const lose = (why: unknown): void => {
    if (isLost) return;
    isLost = true;
    for (const reject of waiting) reject(why);
    waiting.clear();
    void sql.end({ timeout: 0 }).catch(() => {});
    resolveLost();
  };

  const run = async <T>(send: () => PromiseLike<T>): Promise<T> => {
    if (isLost) throw connectionLost("connection was lost before");
    let cut = (_error: unknown): void => {};
    const isCut = new Promise<never>((_, reject) => (cut = reject));
    waiting.add(cut);
    const timer = setTimeout(
      () => lose(connectionLost("no answer")),
      options.statementTimeoutMs + options.connectTimeoutMs + GRACE_MS,
    );
    try {
      return await Promise.race([send(), isCut]);
    } catch (error) {
      if (endsConnection(error)) lose(error);
      throw error;
    } finally {
      clearTimeout(timer);
      waiting.delete(cut);
    }
  };

  return {
    query: async <Row>(text: string, values: readonly SqlParameter[] = []) => {
      const result = await run(() =>
        sql.unsafe(
          text,
          values.map(sendable) as postgres.ParameterOrJSON<never>[],
          { prepare: true, simple: false } as object,
        ),
      );
      return { rows: result as unknown as Row[], count: result.count };
    },
    exec: async (text) => {
      const result: unknown = await run(() => sql.unsafe(text));
      const last: unknown = Array.isArray(result) && !("command" in result) ? result.at(-1) : result;
      return typeof last === "object" && last !== null && "command" in last ? String(last.command) : "";
    },
    isUsable: () => !isLost,
    lost,
    close: () => lose(connectionLost("connection closed by us")),
  };
};

const clientOptions = (
  {
    connectTimeoutMs,
    statementTimeoutMs,
    lockTimeoutMs,
    idleTransactionTimeoutMs,
    onNotification,
  }: ConnectionOptions,
  onclose: () => void,
) => ({
  max: 1,
  fetch_types: false,
  // Ours is the pool, so ours is the decision when to close.
  idle_timeout: 0,
  max_lifetime: null,
  connect_timeout: connectTimeoutMs / 1000,
  types: TYPES,
  onnotice: () => {},
  onclose,
  ...(onNotification ? { onnotify: onNotification } : {}),
  connection: {
    application_name: "nightshift",
    // Compiling a plan takes longer than any query of ours runs; before a table's first ANALYZE it was done for all.
    jit: "off",
    statement_timeout: statementTimeoutMs,
    lock_timeout: lockTimeoutMs,
    idle_in_transaction_session_timeout: idleTransactionTimeoutMs,
  },
});
