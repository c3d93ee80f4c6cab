import type { Approval } from "../auth/approvals/approval.ts";
import { BASE_PATH } from "./layout.ts";

const json = (status: number, body: object, headers: Record<string, string> = {}): Response =>
  new Response(JSON.stringify(body), {
    status,
    headers: { "content-type": "application/json; charset=utf-8", "cache-control": "no-store", ...headers },
  });

/**
 * What the waiting tool learns. While the decision is open: 202 with the place to ask again (the bootstrap follows
 * it); then the server's own answer to the approved request, or why there is none.
 */
export const outcomeOf = (approval: Approval): Response => {
  const { id, status, digest, expiresAt, answer } = approval;
  switch (status) {
    case "pending":
    case "sending":
      return json(
        202,
        {
          status,
          approval: id,
          approve: `${BASE_PATH}/approvals/${id}`,
          digest,
          expiresAt: new Date(expiresAt).toISOString(),
          message: "A person has to approve this change on the page named by approve. It was not sent yet.",
        },
        { location: `${BASE_PATH}/approvals/${id}/outcome`, "retry-after": "1" },
      );
    case "denied":
      return json(403, {
        error: "denied",
        path: "",
        reason: "the person denied this change; it was not sent",
      });
    case "expired":
      return json(403, {
        error: "expired",
        path: "",
        reason: "nobody decided in time; the change was not sent",
      });
    case "unknown":
      return json(502, {
        error: "outcome_unknown",
        path: "",
        reason: "the server ended while the change was being sent; look before you ask again",
      });
    case "done":
    case "failed":
      return new Response(answer?.body ?? "", {
        status: answer?.status ?? 502,
        headers: { "content-type": answer?.contentType ?? "text/plain", "cache-control": "no-store" },
      });
  }
};
