import type { Connection, SqlParameter } from "./connection.ts";
import { isAborted } from "./failure.ts";
import type { Queries, Transaction, TransactionOptions } from "./postgres.ts";

export const queriesOn = (connection: Connection): Queries => ({
  get: async <Row>(text: string, values?: readonly SqlParameter[]) =>
    (await connection.query<Row>(text, values)).rows[0],
  all: async <Row>(text: string, values?: readonly SqlParameter[]) =>
    (await connection.query<Row>(text, values)).rows,
  run: async (text, values) => (await connection.query(text, values)).count,
  exec: async <Row>(text: string) => (await connection.exec<Row>(text)).rows,
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
  const { told, findReason } = createTeller();
  // Work that goes on after the transaction has ended would change things outside of any.
  const session: Connection = {
    ...connection,
    query: async <Row>(text: string, values?: readonly SqlParameter[]) => {
      if (!isOpen) throw new Error("the transaction has ended");
      return told(() => connection.query<Row>(text, values));
    },
    exec: async <Row>(text: string) => {
      if (!isOpen) throw new Error("the transaction has ended");
      return told(() => connection.exec<Row>(text));
    },
  };
  try {
    const result = await work(transactionOn(session));
    isOpen = false;
    await begun;
    await commit(connection, findReason);
    return result;
  } catch (error) {
    isOpen = false;
    // With a session that is lost, its transaction is gone.
    await connection.exec("ROLLBACK").catch(() => {});
    throw error;
  }
};

/**
 * Statements are sent without waiting for those before them. When one fails, all behind it do, because of it:
 * each of them then says what the first one said.
 */
const createTeller = () => {
  let reason: unknown;
  const told = async <T>(send: () => Promise<T>): Promise<T> => {
    try {
      return await send();
    } catch (error) {
      if (!isAborted(error)) {
        reason = error;
        throw error;
      }
      // Both answers may have come at once: the first one's has to be told first.
      await new Promise(setImmediate);
      throw reason ?? error;
    }
  };
  return { told, findReason: () => reason };
};

/** After a statement that failed and whose failure was not passed on, COMMIT quietly rolls back. */
const commit = async (connection: Connection, findReason: () => unknown): Promise<void> => {
  const { command } = await connection.exec("COMMIT");
  if (command !== "COMMIT")
    throw findReason() ?? new Error(`a failed statement was passed over: COMMIT ended with ${command}`);
};

const transactionOn = (session: Connection): Transaction => {
  let savepoints = 0;
  return {
    ...queriesOn(session),
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
        // Where even the savepoint was not made, the whole transaction has failed, as what comes next will say.
        await session.exec(`ROLLBACK TO ${name}; RELEASE ${name}`).catch(() => {});
        throw error;
      }
    },
  };
};

/** Without waiting: it runs before whatever is sent next, and when it fails so does that, or the COMMIT. */
const send = (session: Connection, text: string): void => {
  session.exec(text).catch(() => {});
};
