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
  let isOpen = true;
  // Work that goes on after the transaction has ended would change things outside of any.
  const session: Connection = {
    ...connection,
    query: async (text, values) => {
      if (!isOpen) throw new Error("the transaction has ended");
      return connection.query(text, values);
    },
    exec: async (text) => {
      if (!isOpen) throw new Error("the transaction has ended");
      return connection.exec(text);
    },
  };
  try {
    const result = await work(transactionOn(session));
    isOpen = false;
    await begun;
    await commit(connection);
    return result;
  } catch (error) {
    isOpen = false;
    await rollBack(connection);
    throw error;
  }
};

/** After a statement that failed and whose failure was not passed on, COMMIT quietly rolls back. */
const commit = async (connection: Connection): Promise<void> => {
  const done = await connection.exec("COMMIT");
  if (done !== "COMMIT") throw new Error(`a failed statement was passed over: COMMIT ended with ${done}`);
};

const transactionOn = (session: Connection): Transaction => {
  let savepoints = 0;
  return {
    ...queriesOn(session),
    exec: async (text) => {
      await session.exec(text);
    },
    notify: async (channel, payload) => {
      await session.query("SELECT pg_notify($1, $2)", [channel, payload]);
    },
    savepoint: async (inner) => {
      const name = `level_${savepoints++}`;
      send(session, `SAVEPOINT ${name}`);
      try {
        const result = await inner();
        send(session, `RELEASE ${name}`);
        return result;
      } catch (error) {
        await session.exec(`ROLLBACK TO ${name}; RELEASE ${name}`);
        throw error;
      }
    },
  };
};

/** Without waiting: it runs before whatever is sent next, and when it fails so does that, or the COMMIT. */
const send = (session: Connection, text: string): void => {
  session.exec(text).catch(() => {});
};

const rollBack = async (connection: Connection): Promise<void> => {
  try {
    if (connection.isUsable()) await connection.exec("ROLLBACK");
  } catch {
    // With the session the transaction is gone.
    connection.close();
  }
};
