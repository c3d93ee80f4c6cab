import { randomUUID } from "node:crypto";
import { rm } from "node:fs/promises";
import pg from "pg";
import { systemClock } from "../../core/clock.ts";
import { endMarked } from "../../core/process-tree.ts";
import { createDataFolder, SUPERUSER } from "./data-folder.ts";
import { findPostgres } from "./find-postgres.ts";
import { findFreePort } from "../free-port.ts";
import { type ServerPlace, startGuard, startProcess } from "./guarded-server.ts";

/** A PostgreSQL server of our own, on 127.0.0.1 and a free port that it keeps over restarts. */
export type TestPostgres = {
  port: number;
  /** where its files are */
  data: string;
  url: (database: string) => string;
  /** A new database, by its URL. What is made from a template has its tables and rows from the start. */
  createDatabase: (from?: string) => Promise<string>;
  /** Makes a database once that others are made from: `setUp` brings it into shape. Returns its name. */
  createTemplate: (setUp: (url: string) => Promise<void>) => Promise<string>;
  /** One statement in one database, on a connection of its own. */
  query: (url: string, statement: string) => Promise<Record<string, unknown>[]>;
  /** kill -9 for every process of the server */
  kill: () => Promise<void>;
  /** Ends it as an administrator does: every connection is cut, nothing is lost. */
  shutDown: () => Promise<void>;
  /** Starts it again after `kill` or `shutDown`; resolves when it accepts connections. */
  start: () => Promise<void>;
  /** Whether transactions may change anything, as on a replica. Holds for open connections, too. */
  setReadOnly: (isReadOnly: boolean) => Promise<void>;
  /** Ends everything and removes the folder. */
  stop: () => Promise<void>;
};

export type PostgresOptions = {
  /** whether commits wait for the disk; only tests that look at it need that */
  fsync?: boolean;
  settings?: Record<string, string>;
  /** an empty folder to use (a small file system, say) in place of one of its own; the caller removes it */
  folder?: string;
};

const withConnection = async <T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> => {
  const client = new pg.Client({ connectionString: url, application_name: "nightshift test" });
  // A server that is ended takes its sessions along.
  client.on("error", () => {});
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
};

/** Starts a server. It is ended with everything it has, also when this process is killed. */
export const startPostgres = async ({
  fsync = false,
  settings = {},
  folder: parent,
}: PostgresOptions = {}): Promise<TestPostgres> => {
  const bin = findPostgres();
  if (bin === undefined) throw new Error("PostgreSQL was not found; set POSTGRES_BIN");
  const { folder, data, password } = await createDataFolder(bin, parent);
  const place: ServerPlace = { bin, folder, data, mark: randomUUID() };
  const port = await findFreePort();
  const allSettings = {
    listen_addresses: "127.0.0.1",
    unix_socket_directories: "",
    port: String(port),
    max_connections: "200",
    ...(fsync ? {} : { fsync: "off", full_page_writes: "off" }),
    ...settings,
  };
  const endGuard = startGuard(place);
  let server = await startProcess(place, allSettings);

  const url = (database: string): string =>
    `postgres://${SUPERUSER}:${password}@127.0.0.1:${port}/${database}`;
  const query: TestPostgres["query"] = (target, statement) =>
    withConnection(target, async (client) => (await client.query(statement)).rows);
  const newName = (): string => `test_${randomUUID().replaceAll("-", "")}`;
  const createDatabase: TestPostgres["createDatabase"] = async (from = "template0") => {
    const name = newName();
    await query(url("postgres"), `CREATE DATABASE ${name} TEMPLATE ${from}`);
    return url(name);
  };

  return {
    port,
    data,
    url,
    query,
    createDatabase,
    createTemplate: async (setUp) => {
      const target = await createDatabase();
      await setUp(target);
      return new URL(target).pathname.slice(1);
    },
    kill: () => server.kill(),
    shutDown: () => server.end("SIGINT"),
    start: async () => {
      server = await startProcess(place, allSettings);
    },
    setReadOnly: async (isReadOnly) => {
      await withConnection(url("postgres"), async (client) => {
        // This session has to be able to change it back.
        await client.query("SET default_transaction_read_only = off");
        await client.query(`ALTER SYSTEM SET default_transaction_read_only = ${isReadOnly ? "on" : "off"}`);
        await client.query("SELECT pg_reload_conf()");
      });
    },
    stop: async () => {
      await server.end("SIGQUIT");
      endGuard();
      await endMarked(place.mark, { clock: systemClock, graceMs: 0 });
      await rm(parent === undefined ? folder : data, { recursive: true, force: true });
    },
  };
};
