import type { Postgres } from "../../db/postgres/postgres.ts";
import {
  answerValues,
  APPROVAL_COLUMNS,
  type ApprovalRow,
  type ApprovalStore,
  approvalValues,
  KEPT,
  toApproval,
} from "./approval-store.ts";

/**
 * How long a server may be sending an approved request before its outcome counts as unknown. Others cannot
 * see whether it died; if it did not, its answer is still taken in when it comes.
 */
const SENDING_MS = 120_000;

/** The store on a PostgreSQL that any number of servers share: of all decisions about one, the first counts. */
export const createPostgresApprovals = (db: Postgres, now: () => number): ApprovalStore => {
  const read = (row: ApprovalRow) => {
    const approval = toApproval(row, now());
    const isOverdue = approval.status === "sending" && (approval.decidedAt ?? 0) + SENDING_MS <= now();
    return isOverdue ? { ...approval, status: "unknown" as const } : approval;
  };
  return {
    add: (approval) =>
      db.transaction(async (tx) => {
        await tx.run(
          `INSERT INTO approvals (${APPROVAL_COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
          approvalValues(approval),
        );
        await tx.run("DELETE FROM approvals WHERE number <= (SELECT max(number) FROM approvals) - $1", [
          KEPT,
        ]);
      }),
    find: async (id, token) => {
      const row = await db.get<ApprovalRow>("SELECT * FROM approvals WHERE id = $1 AND token = $2", [
        id,
        token,
      ]);
      return row && read(row);
    },
    list: async (token, limit) => {
      const rows = await db.all<ApprovalRow>(
        "SELECT * FROM approvals WHERE token = $1 ORDER BY number DESC LIMIT $2",
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
        "UPDATE approvals SET status = $2, answer_status = $3, answer_type = $4, answer_body = $5 WHERE id = $1 AND status = 'sending'",
        [id, status, ...answerValues(answer)],
      );
    },
  };
};
