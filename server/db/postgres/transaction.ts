import type { Connection, SqlParameter } from "./connection.ts";
import type { Queries, Transaction, TransactionOptions } from "./postgres.ts";

export const queriesOn = (connection: Connection): Queries => ({
  get: async <Row>(text: string, values?: readonly SqlParameter[]) =>
    (await connection.query<Row>(text, values)).rows[0],
  all: async <Row>(text: string, values?: readonly SqlParameter[]) =>
    (await connection.query<Row>(text, values)).rows,
  run: async (text, values) => (await connection.query(text, values)).count,
});

/** Runs `work` between BEGIN and COMMIT. When it throws, nothing of it stays. */
export const runTransaction = async <T>(
  connection: Connection,
  work: (tx: Transaction) => Promise<T>,
  { isolation = "read committed" }: TransactionOptions = {},
): Promise<T> => {
  // Sent together with the first statement of the work.
  const begun = connection.exec(`BEGIN ISOLATION LEVEL ${isolation.toUpperCase()}`);
  begun.catch(() => {});
  let savepoints = 0;
  const tx: Transaction = {
    ...queriesOn(connection),
    exec: connection.exec,
    notify: async (channel, payload) => {
      await connection.query("SELECT pg_notify($1, $2)", [channel, payload]);
    },
    savepoint: async (inner) => {
      const name = `level_${savepoints++}`;
      await connection.exec(`SAVEPOINT ${name}`);
      try {
        const result = await inner();
        await connection.exec(`RELEASE ${name}`);
        return result;
      } catch (error) {
        await connection.exec(`ROLLBACK TO ${name}; RELEASE ${name}`);
        throw error;
      }
    },
  };
  try {
    const result = await work(tx);
    await begun;
    await connection.exec("COMMIT");
    return result;
  } catch (error) {
    await rollBack(connection);
    throw error;
  }
};

const rollBack = async (connection: Connection): Promise<void> => {
  try {
    if (connection.isUsable()) await connection.exec("ROLLBACK");
  } catch {
    // With the session the transaction is gone.
    connection.close();
  }
};
