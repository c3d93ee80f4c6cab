import type { Database } from "./database.ts";
import type { Postgres } from "./postgres/postgres.ts";
import { run, runAwaiting, runNow, type Steps, type Value } from "./steps.ts";

/**
 * Single statements, for a store that is the same on either database. Parameters are `$1`, `$2` …
 */
export type Statements = {
  /** the first row */
  get: <Row>(text: string, values?: Value[]) => Promise<Row | undefined>;
  all: <Row>(text: string, values?: Value[]) => Promise<Row[]>;
  /** @returns the number of rows changed */
  run: (text: string, values?: Value[]) => Promise<number>;
};

/** Where the two databases have another word for the same. */
export type Dialect = {
  /** behind a SELECT: nobody else changes its rows until the transaction ends; SQLite has one writer anyway */
  forUpdate: string;
  /** waits for every other transaction that locks this name */
  lock: (name: string) => Steps<void>;
  /** tells every server that listens when, and only when, the transaction is committed */
  notify: (channel: string, payload: string) => Steps<void>;
  /** a table of the objects in a JSON array that a parameter holds */
  rowsOf: (parameter: string, columns: Readonly<Record<string, "TEXT" | "BIGINT">>) => string;
};

/** A database for a store that is the same on either. */
export type StoreDatabase = Statements & {
  dialect: Dialect;
  /** Commits what the steps did, or nothing. PostgreSQL runs them again when others were in the way. */
  transact: <T>(steps: () => Steps<T>) => Promise<T>;
};

const nothing = function* (): Steps<void> {};

const SQLITE: Dialect = {
  forUpdate: "",
  lock: nothing,
  notify: nothing,
  rowsOf: (parameter, columns) =>
    `(SELECT ${Object.keys(columns)
      .map((name) => `value ->> '${name}' AS ${name}`)
      .join(", ")} FROM json_each(${parameter}))`,
};

const POSTGRES: Dialect = {
  forUpdate: "FOR UPDATE",
  lock: function* (name) {
    yield* run("SELECT pg_advisory_xact_lock(hashtextextended($1, 10))", [name]);
  },
  notify: function* (channel, payload) {
    yield* run("SELECT pg_notify($1, $2)", [channel, payload]);
  },
  rowsOf: (parameter, columns) =>
    `json_to_recordset(CAST(${parameter} AS JSON)) AS r(${Object.entries(columns)
      .map((column) => column.join(" "))
      .join(", ")})`,
};

/** On the server's own SQLite database. */
export const statementsOn = (db: Database): StoreDatabase => ({
  get: async (text, values) => db.get(text, values),
  all: async (text, values) => db.all(text, values),
  run: (text, values) => db.write(() => db.run(text, values)),
  transact: (steps) => db.write(() => runNow(db, steps())),
  dialect: SQLITE,
});

/** On a PostgreSQL that any number of servers share. */
export const statementsOnPostgres = (db: Postgres): StoreDatabase => ({
  get: db.get,
  all: db.all,
  run: db.run,
  transact: (steps) => db.transaction((tx) => runAwaiting(tx, steps())),
  dialect: POSTGRES,
});
