import type { Database } from "./database.ts";

type Value = string | number | null;

/**
 * Single statements, for a store that is the same on either database. Parameters are `$1`, `$2` … in the order in
 * which they first stand in the text: so SQLite numbers them.
 */
export type Statements = {
  /** the first row */
  get: <Row>(text: string, values?: Value[]) => Promise<Row | undefined>;
  all: <Row>(text: string, values?: Value[]) => Promise<Row[]>;
  /** @returns the number of rows changed */
  run: (text: string, values?: Value[]) => Promise<number>;
};

/** On the server's own SQLite database; a PostgreSQL has them itself. */
export const statementsOn = (db: Database): Statements => ({
  get: async (text, values) => db.get(text, values),
  all: async (text, values) => db.all(text, values),
  run: (text, values) => db.write(() => db.run(text, values)),
});
