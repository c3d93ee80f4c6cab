import type { Database } from "../../db/database.ts";
import { type Head, nextLine, NO_LINE, ROTATED, rotatedUpTo, type SecurityEvent } from "./chain.ts";
import { MAX_LINES, type SecurityLogStore, type StoredLine } from "./store.ts";

/** The log in the server's own SQLite database. */
export const createSqliteSecurityLog = (db: Database, maxLines = MAX_LINES): SecurityLogStore => {
  const readHead = (): Head =>
    db.get<Head>("SELECT number, digest FROM security_log_head WHERE id = 1") ?? NO_LINE;
  const append = (before: Head, event: SecurityEvent): Head => {
    const { line, head } = nextLine(before, event);
    db.run("INSERT INTO security_log (number, line) VALUES (?, ?)", [head.number, line]);
    return head;
  };
  /** Takes the oldest lines away when there are too many, and says so in the chain. */
  const rotate = (head: Head, at: number): Head => {
    const oldest = db.get<{ number: number }>("SELECT min(number) AS number FROM security_log")?.number ?? 1;
    if (head.number - oldest + 1 <= maxLines) return head;
    const upTo = head.number - Math.floor(maxLines * 0.9);
    const { line = "" } =
      db.get<{ line: string }>("SELECT line FROM security_log WHERE number = ?", [upTo]) ?? {};
    const subject = rotatedUpTo(JSON.parse(line) as Head);
    db.run("DELETE FROM security_log WHERE number <= ?", [upTo]);
    return append(head, { at, event: ROTATED, outcome: "ok", subject });
  };
  return {
    add: (events) =>
      db.write(() => {
        let head = readHead();
        for (const event of events) head = rotate(append(head, event), event.at);
        db.run("INSERT OR REPLACE INTO security_log_head (id, number, digest) VALUES (1, ?, ?)", [
          head.number,
          head.digest,
        ]);
      }),
    head: async () => readHead(),
    read: async (after, limit) =>
      db.all<StoredLine>("SELECT number, line FROM security_log WHERE number > ? ORDER BY number LIMIT ?", [
        after,
        limit,
      ]),
  };
};
