import { createHash } from "node:crypto";

/**
 * `pending` until a person decides or the time is over; `sending` while the approved request is on its way;
 * `unknown` when the server ended in that moment: it is never sent a second time.
 */
export type ApprovalStatus = "pending" | "denied" | "sending" | "done" | "failed" | "unknown" | "expired";

/** The request that a person is asked about, to the last byte. */
export type HeldRequest = {
  tool: string;
  method: string;
  /** path and query */
  target: string;
  contentType: string;
  body: string;
};

export type Approval = HeldRequest & {
  id: string;
  status: ApprovalStatus;
  /** the token whose session asked; only its holder may decide */
  token: string;
  askedBy: string;
  /** SHA-256 of everything that is decided on */
  digest: string;
  createdAt: number;
  expiresAt: number;
  decidedAt: number | undefined;
  answer: { status: number; contentType: string; body: string } | undefined;
};

/** What the decision is bound to: change any part, and it is another digest. */
export const approvalDigest = ({
  tool,
  method,
  target,
  contentType,
  body,
  token,
  expiresAt,
}: HeldRequest & Pick<Approval, "token" | "expiresAt">): string =>
  createHash("sha256")
    .update(JSON.stringify(["approval 1", tool, method, target, contentType, body, token, expiresAt]))
    .digest("hex");
