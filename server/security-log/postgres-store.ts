import type { Postgres, Transaction } from "../../db/postgres/postgres.ts";
import { type Head, nextLine, NO_LINE, ROTATED, rotatedUpTo, type SecurityEvent } from "./chain.ts";
import { MAX_LINES, type SecurityLogStore, type StoredLine } from "./store.ts";

const append = async (tx: Transaction, before: Head, event: SecurityEvent): Promise<Head> => {
  const { line, head } = nextLine(before, event);
  await tx.run("INSERT INTO security_log (number, line) VALUES ($1, $2)", [head.number, line]);
  return head;
};

/** The log in a PostgreSQL that any number of servers share: one chain for all of them. */
export const createPostgresSecurityLog = (db: Postgres, maxLines = MAX_LINES): SecurityLogStore => {
  const rotate = async (tx: Transaction, head: Head, at: number): Promise<Head> => {
    const first = await tx.get<{ number: number }>("SELECT min(number) AS number FROM security_log");
    if (head.number - (first?.number ?? 1) + 1 <= maxLines) return head;
    const upTo = head.number - Math.floor(maxLines * 0.9);
    const last = await tx.get<{ line: string }>("SELECT line FROM security_log WHERE number = $1", [upTo]);
    const subject = rotatedUpTo(JSON.parse(last?.line ?? "") as Head);
    await tx.run("DELETE FROM security_log WHERE number <= $1", [upTo]);
    return append(tx, head, { at, event: ROTATED, outcome: "ok", subject });
  };
  return {
    add: (events) =>
      db.transaction(async (tx) => {
        // The head's row is what servers that write at the same time wait for.
        await tx.run(
          "INSERT INTO security_log_head (id, number, digest) VALUES (1, 0, '') ON CONFLICT (id) DO NOTHING",
        );
        let head =
          (await tx.get<Head>("SELECT number, digest FROM security_log_head WHERE id = 1 FOR UPDATE")) ??
          NO_LINE;
        for (const event of events) head = await rotate(tx, await append(tx, head, event), event.at);
        await tx.run("UPDATE security_log_head SET number = $1, digest = $2 WHERE id = 1", [
          head.number,
          head.digest,
        ]);
      }),
    head: async () =>
      (await db.get<Head>("SELECT number, digest FROM security_log_head WHERE id = 1")) ?? NO_LINE,
    read: (after, limit) =>
      db.all<StoredLine>("SELECT number, line FROM security_log WHERE number > $1 ORDER BY number LIMIT $2", [
        after,
        limit,
      ]),
  };
};
