import { randomBytes } from "node:crypto";
import { AppError } from "../../core/errors.ts";
import type { Principal } from "../auth/authenticate.ts";
import { approvalDigest, type Approval, type HeldRequest } from "../auth/approvals/approval.ts";
import type { Answer, ApprovalStore } from "../auth/approvals/approval-store.ts";

export type ApprovalPorts = {
  approvals: ApprovalStore;
  now: () => number;
  /** tells the person that an agent's change waits */
  tell?: (approval: Approval) => void;
};

const OPEN_MS = 10 * 60_000;
const MAX_PENDING = 20;
const MAX_ANSWER_CHARACTERS = 262_144;

/**
 * Keeps a change until a person decides; nothing of it is sent.
 * @throws AppError `rate-limited` when too many wait already
 */
export const holdRequest = async (
  { approvals, now }: ApprovalPorts,
  principal: Principal,
  held: HeldRequest,
): Promise<Approval> => {
  if ((await approvals.countPending(principal.tokenId)) >= MAX_PENDING)
    throw new AppError(
      "rate-limited",
      `${MAX_PENDING} changes wait for a decision already; decide those first`,
      {
        details: { retryAfterSeconds: OPEN_MS / 1000 },
      },
    );
  const createdAt = now();
  const bound = { ...held, token: principal.tokenId, expiresAt: createdAt + OPEN_MS };
  const approval: Approval = {
    ...bound,
    id: randomBytes(16).toString("base64url"),
    status: "pending",
    askedBy: principal.label,
    digest: approvalDigest(bound),
    createdAt,
    decidedAt: undefined,
    answer: undefined,
  };
  await approvals.add(approval);
  return approval;
};

export type Decision = { id: string; digest: string; verdict: "approve" | "deny" };

/**
 * Carries out a person's decision, once: of any number at the same time only the first has an effect. An approved
 * request is sent exactly as it was shown.
 * @throws AppError `not-found`, or `conflict` when it was decided, has expired, or is not what was shown
 */
export const decide = async (
  { approvals }: ApprovalPorts,
  principal: Principal,
  { id, digest, verdict }: Decision,
  send: (approval: Approval) => Promise<Response>,
): Promise<void> => {
  const approval = await findApproval(approvals, principal, id);
  if (approval.digest !== digest || approvalDigest(approval) !== digest)
    throw new AppError("conflict", "This is not the request that was shown; open it again");
  const claimed = await approvals.claim(id, digest, verdict === "approve" ? "sending" : "denied");
  if (!claimed) {
    const { status } = await findApproval(approvals, principal, id);
    throw new AppError("conflict", `This change is ${status}; it cannot be decided again`);
  }
  if (verdict === "deny") return;
  await carryOut(approvals, approval, send);
};

const carryOut = async (
  approvals: ApprovalStore,
  approval: Approval,
  send: (approval: Approval) => Promise<Response>,
): Promise<void> => {
  try {
    const answer = await readAnswer(send(approval));
    await approvals.finish(approval.id, answer.status < 400 ? "done" : "failed", answer);
  } catch (error) {
    // It may have had its effect or not: said so, and never tried again.
    await approvals.giveUp(approval.id);
    throw error;
  }
};

const readAnswer = async (sent: Promise<Response>): Promise<Answer> => {
  const response = await sent;
  const body = await response.text();
  const contentType = response.headers.get("content-type") ?? "";
  if (body.length <= MAX_ANSWER_CHARACTERS) return { status: response.status, contentType, body };
  const error = { error: "response_too_large", status: response.status };
  return { status: response.status, contentType: "application/json", body: JSON.stringify(error) };
};

/** One of this publisher's own. @throws AppError `not-found` */
export const findApproval = async (
  approvals: ApprovalStore,
  principal: Principal,
  id: string,
): Promise<Approval> => {
  const approval = await approvals.find(id, principal.tokenId);
  if (approval === undefined)
    throw new AppError("not-found", "There is no such approval among those you asked for");
  return approval;
};
