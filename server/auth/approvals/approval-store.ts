import type { Database } from "../../../db/database.ts";
import { insertion, named } from "../../../db/rows.ts";
import type { Postgres } from "../../../db/postgres/postgres.ts";
import { type Statements, statementsOn } from "../../../db/statements.ts";
import type { Approval } from "./approval.ts";

export type Answer = NonNullable<Approval["answer"]>;

/** Approvals, each of which is decided once. */
export type ApprovalStore = {
  add: (approval: Approval) => Promise<void>;
  /** one of this token's, as it is now */
  find: (id: string, token: string) => Promise<Approval | undefined>;
  /** this token's, the newest first */
  list: (token: string, limit: number) => Promise<Approval[]>;
  countPending: (token: string) => Promise<number>;
  /** Decides a pending one whose digest is this one. False when it is no longer pending, or another. */
  claim: (id: string, digest: string, status: "sending" | "denied") => Promise<boolean>;
  finish: (id: string, status: "done" | "failed", answer: Answer) => Promise<void>;
  /** What was being sent has no known outcome. */
  giveUp: (id: string) => Promise<void>;
};

/** How many decided approvals are kept for the audit list, over all tokens. */
const KEPT = 1000;

type ApprovalRow = Omit<Approval, "answer"> & {
  answerStatus: number | undefined;
  answerType: string | undefined;
  answerBody: string | undefined;
};

const toApproval = (row: object, now: number): Approval => {
  const { answerStatus: status, answerType = "", answerBody = "", ...approval } = named<ApprovalRow>(row);
  return {
    ...approval,
    status: approval.status === "pending" && approval.expiresAt <= now ? "expired" : approval.status,
    answer: status === undefined ? undefined : { status, contentType: answerType, body: answerBody },
  };
};

const COLUMNS =
  "id, status, tool, token, asked_by, method, target, content_type, body, digest, created_at, expires_at, decided_at, answer_status, answer_type, answer_body";

/** Neither database keeps a text with U+0000. */
const answerValues = ({ status, contentType, body }: Answer): (string | number)[] => [
  status,
  contentType,
  body.replaceAll("\u0000", "\uFFFD"),
];

/**
 * How long a server may be sending an approved request before its outcome counts as unknown. Others cannot
 * see whether it died; if it did not, its answer is still taken in when it comes.
 */
const SENDING_MS = 120_000;

/** The store on a PostgreSQL that any number of servers share: of all decisions about one, the first counts. */
export const createPostgresApprovals = (db: Postgres, now: () => number): ApprovalStore =>
  createApprovals(db, now, SENDING_MS);

/** The store on the server's own SQLite database; what a killed server was sending becomes `unknown`. */
export const createSqliteApprovals = (db: Database, now: () => number): ApprovalStore => {
  db.run("UPDATE approvals SET status = 'unknown' WHERE status = 'sending'");
  return createApprovals(statementsOn(db), now, Infinity);
};

const createApprovals = (db: Statements, now: () => number, sendingMs: number): ApprovalStore => {
  const read = (row: object) => {
    const approval = toApproval(row, now());
    const isOverdue = approval.status === "sending" && (approval.decidedAt ?? 0) + sendingMs <= now();
    return isOverdue ? { ...approval, status: "unknown" as const } : approval;
  };
  return {
    add: async (approval) => {
      const { answer: _answer, ...fields } = approval;
      await db.run(...insertion("approvals", { ...fields, status: "pending" }));
      await db.run("DELETE FROM approvals WHERE number <= (SELECT max(number) FROM approvals) - $1", [KEPT]);
    },
    find: async (id, token) => {
      const row = await db.get<object>(`SELECT ${COLUMNS} FROM approvals WHERE id = $1 AND token = $2`, [
        id,
        token,
      ]);
      return row && read(row);
    },
    list: async (token, limit) => {
      const rows = await db.all<object>(
        `SELECT ${COLUMNS} FROM approvals WHERE token = $1 ORDER BY number DESC LIMIT $2`,
        [token, limit],
      );
      return rows.map(read);
    },
    countPending: async (token) => {
      const row = await db.get<{ count: number }>(
        "SELECT count(*) AS count FROM approvals WHERE token = $1 AND status = 'pending' AND expires_at > $2",
        [token, now()],
      );
      return row?.count ?? 0;
    },
    claim: async (id, digest, status) => {
      const claimed = await db.run(
        "UPDATE approvals SET status = $1, decided_at = $2 WHERE id = $3 AND digest = $4 AND status = 'pending' AND expires_at > $2",
        [status, now(), id, digest],
      );
      return claimed === 1;
    },
    giveUp: async (id) => {
      await db.run("UPDATE approvals SET status = 'unknown' WHERE id = $1 AND status = 'sending'", [id]);
    },
    finish: async (id, status, answer) => {
      await db.run(
        "UPDATE approvals SET status = $1, answer_status = $2, answer_type = $3, answer_body = $4 WHERE id = $5 AND status = 'sending'",
        [status, ...answerValues(answer), id],
      );
    },
  };
};
