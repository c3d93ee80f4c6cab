import type { StoreDatabase } from "../../db/statements.ts";
import { get, run, type Steps } from "../../db/steps.ts";
import { type Head, nextLine, NO_LINE, ROTATED, rotatedUpTo, type SecurityEvent } from "./chain.ts";
import { MAX_LINES, type SecurityLogStore, type StoredLine } from "./store.ts";

const HEAD = "SELECT number, digest FROM security_log_head WHERE id = 1";

const append = function* (before: Head, event: SecurityEvent): Steps<Head> {
  const { line, head } = nextLine(before, event);
  yield* run("INSERT INTO security_log (number, line) VALUES ($1, $2)", [head.number, line]);
  return head;
};

/** The log on either database: one chain for all servers that share it. */
export const createSecurityLogStore = (db: StoreDatabase, maxLines = MAX_LINES): SecurityLogStore => {
  /** Takes the oldest lines away when there are too many, and says so in the chain. */
  const rotate = function* (head: Head, at: number): Steps<Head> {
    const first = yield* get<{ number: number | null }>("SELECT min(number) AS number FROM security_log");
    if (head.number - (first?.number ?? 1) + 1 <= maxLines) return head;
    const upTo = head.number - Math.floor(maxLines * 0.9);
    const last = yield* get<{ line: string }>("SELECT line FROM security_log WHERE number = $1", [upTo]);
    const subject = rotatedUpTo(JSON.parse(last?.line ?? "") as Head);
    yield* run("DELETE FROM security_log WHERE number <= $1", [upTo]);
    return yield* append(head, { at, event: ROTATED, outcome: "ok", subject });
  };
  return {
    add: (events) =>
      db.transact(function* () {
        // The head's row is what servers that write at the same time wait for.
        yield* run(
          "INSERT INTO security_log_head (id, number, digest) VALUES (1, 0, '') ON CONFLICT (id) DO NOTHING",
        );
        let head = (yield* get<Head>(`${HEAD} ${db.dialect.forUpdate}`)) ?? NO_LINE;
        for (const event of events) head = yield* rotate(yield* append(head, event), event.at);
        const { number, digest } = head;
        yield* run("UPDATE security_log_head SET number = $1, digest = $2 WHERE id = 1", [number, digest]);
      }),
    head: async () => (await db.get<Head>(HEAD)) ?? NO_LINE,
    read: (after, limit) =>
      db.all<StoredLine>("SELECT number, line FROM security_log WHERE number > $1 ORDER BY number LIMIT $2", [
        after,
        limit,
      ]),
  };
};
