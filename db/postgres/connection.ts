import { createHash } from "node:crypto";
import pg from "pg";
import { coded, connectionLost, endsConnection } from "./failure.ts";

export type SqlParameter =
  | string
  | number
  | bigint
  | boolean
  | Uint8Array
  | null
  | readonly string[]
  | readonly number[];

export type ConnectionOptions = {
  url: string;
  connectTimeoutMs: number;
  statementTimeoutMs: number;
  lockTimeoutMs: number;
  idleTransactionTimeoutMs: number;
};

/** One session with the database. */
export type Connection = {
  /** one statement with `$1`, `$2` …, prepared once; statements may be sent without waiting */
  query: <Row>(text: string, values?: readonly SqlParameter[]) => Promise<{ rows: Row[]; count: number }>;
  /** statements without values, several at once; @returns what the last one did, in PostgreSQL's word */
  exec: <Row>(text: string) => Promise<{ rows: Row[]; command: string }>;
  /** false once the session is over or inside a transaction that nobody ends */
  isReusable: () => boolean;
};

/** How much longer than the database's own limit we wait before we take the connection for dead. */
const GRACE_MS = 5000;

const BIGINT = 20;

export const clientOptions = (options: ConnectionOptions): pg.ClientConfig => {
  const { connectTimeoutMs, statementTimeoutMs, lockTimeoutMs, idleTransactionTimeoutMs } = options;
  const url = new URL(options.url);
  const settings = [...url.searchParams].filter(([name]) => !isClientParameter.test(name));
  for (const [name] of settings) url.searchParams.delete(name);
  // `sslmode` means what it means to PostgreSQL's own programs.
  if (url.searchParams.has("sslmode")) url.searchParams.set("uselibpqcompat", "true");
  return {
    connectionString: url.href,
    pipeline: true,
    application_name: "nightshift",
    connectionTimeoutMillis: connectTimeoutMs,
    query_timeout: statementTimeoutMs + connectTimeoutMs + GRACE_MS,
    statement_timeout: statementTimeoutMs,
    lock_timeout: lockTimeoutMs,
    idle_in_transaction_session_timeout: idleTransactionTimeoutMs,
    // Compiling a plan takes longer than any query of ours runs; before a table's first ANALYZE it was done for all.
    options: [["jit", "off"], ...settings].map(toSetting).join(" "),
    // Times in milliseconds and row numbers: whole numbers below 2^53.
    types: {
      getTypeParser: ((oid: number, format: "text") =>
        oid === BIGINT ? Number : pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser,
    },
  };
};

/** Parameters of the address that are the client's; every other one is a setting of the session. */
const isClientParameter = /^(ssl\w*|host|port|user|password|options|application_name|client_encoding)$/;

const toSetting = ([name, value]: readonly string[]): string =>
  `-c ${name}=${(value ?? "").replaceAll(/[\\ ]/g, "\\$&")}`;

export const connectionOn = (client: pg.ClientBase): Connection => {
  let isOver = false;
  const told = async <T>(answer: Promise<T>): Promise<T> => {
    try {
      return await answer;
    } catch (error) {
      const failure = coded(error);
      if (endsConnection(failure)) isOver = true;
      throw failure;
    }
  };
  const send = <T>(query: () => Promise<T>): Promise<T> =>
    isOver ? Promise.reject(connectionLost("connection was lost before")) : told(query());
  return {
    query: async <Row>(text: string, values: readonly SqlParameter[] = []) => {
      const { rows, rowCount } = await send(() =>
        client.query({ name: nameOf(text), text, values: values.map(sendable) }),
      );
      return { rows: rows as Row[], count: rowCount ?? 0 };
    },
    exec: async <Row>(text: string) => {
      const last = [await send(() => client.query(text))].flat().at(-1);
      return { rows: (last?.rows ?? []) as Row[], command: last?.command ?? "" };
    },
    isReusable: () => !isOver && client.getTransactionStatus() === "I",
  };
};

const nameOf = (text: string): string => createHash("sha1").update(text).digest("base64url");

/** PostgreSQL's texts hold every character but U+0000: it becomes the one for what cannot be shown. */
const sendable = (value: unknown): unknown => {
  if (typeof value === "string") return value.replaceAll("\u0000", "\ufffd");
  return Array.isArray(value) ? value.map(sendable) : value;
};
