import type { Database } from "../../db/database.ts";
import type { Approval, ApprovalStatus } from "./approval.ts";

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
export const KEPT = 1000;

export type ApprovalRow = {
  id: string;
  status: Exclude<ApprovalStatus, "expired">;
  tool: string;
  token: string;
  asked_by: string;
  method: string;
  target: string;
  content_type: string;
  body: string;
  digest: string;
  created_at: number;
  expires_at: number;
  decided_at: number | null;
  answer_status: number | null;
  answer_type: string | null;
  answer_body: string | null;
};

export const toApproval = (row: ApprovalRow, now: number): Approval => ({
  id: row.id,
  status: row.status === "pending" && row.expires_at <= now ? "expired" : row.status,
  tool: row.tool,
  token: row.token,
  askedBy: row.asked_by,
  method: row.method,
  target: row.target,
  contentType: row.content_type,
  body: row.body,
  digest: row.digest,
  createdAt: row.created_at,
  expiresAt: row.expires_at,
  decidedAt: row.decided_at ?? undefined,
  answer:
    row.answer_status === null
      ? undefined
      : { status: row.answer_status, contentType: row.answer_type ?? "", body: row.answer_body ?? "" },
});

export const APPROVAL_COLUMNS =
  "id, status, tool, token, asked_by, method, target, content_type, body, digest, created_at, expires_at";

export const approvalValues = (approval: Approval): (string | number)[] => [
  approval.id,
  "pending",
  approval.tool,
  approval.token,
  approval.askedBy,
  approval.method,
  approval.target,
  approval.contentType,
  approval.body,
  approval.digest,
  approval.createdAt,
  approval.expiresAt,
];

/** Neither database keeps a text with U+0000. */
export const answerValues = ({ status, contentType, body }: Answer): (string | number)[] => [
  status,
  contentType,
  body.replaceAll("\u0000", "\uFFFD"),
];

/** The store on the server's own SQLite database; what a killed server was sending becomes `unknown`. */
export const createSqliteApprovals = (db: Database, now: () => number): ApprovalStore => {
  db.run("UPDATE approvals SET status = 'unknown' WHERE status = 'sending'");
  return {
    add: (approval) =>
      db.write(() => {
        db.run(
          `INSERT INTO approvals (${APPROVAL_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
          approvalValues(approval),
        );
        db.run("DELETE FROM approvals WHERE number <= (SELECT max(number) FROM approvals) - ?", [KEPT]);
      }),
    find: async (id, token) => {
      const row = db.get<ApprovalRow>("SELECT * FROM approvals WHERE id = ? AND token = ?", [id, token]);
      return row === undefined ? undefined : toApproval(row, now());
    },
    list: async (token, limit) =>
      db
        .all<ApprovalRow>("SELECT * FROM approvals WHERE token = ? ORDER BY number DESC LIMIT ?", [
          token,
          limit,
        ])
        .map((row) => toApproval(row, now())),
    countPending: async (token) =>
      db.get<{ count: number }>(
        "SELECT count(*) AS count FROM approvals WHERE token = ? AND status = 'pending' AND expires_at > ?",
        [token, now()],
      )?.count ?? 0,
    claim: (id, digest, status) =>
      db.write(
        () =>
          db.run(
            "UPDATE approvals SET status = ?, decided_at = ? WHERE id = ? AND digest = ? AND status = 'pending' AND expires_at > ?",
            [status, now(), id, digest, now()],
          ) === 1,
      ),
    giveUp: (id) =>
      db.write(() => {
        db.run("UPDATE approvals SET status = 'unknown' WHERE id = ? AND status = 'sending'", [id]);
      }),
    finish: (id, status, answer) =>
      db.write(() => {
        db.run(
          "UPDATE approvals SET status = ?, answer_status = ?, answer_type = ?, answer_body = ? WHERE id = ? AND status = 'sending'",
          [status, ...answerValues(answer), id],
        );
      }),
  };
};
