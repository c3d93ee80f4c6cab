import { redactSecrets } from "../../core/redaction.ts";
import { visibleText } from "../../core/visible-text.ts";
import type { RequestInfo } from "../http/request-info.ts";
import type { SecurityEvent } from "./chain.ts";

/** The requests that the log tells of when they are done, by method and route. */
const EVENTS: Readonly<Record<string, string>> = {
  "POST /api/session": "sign-in",
  "DELETE /api/session": "sign-out",
  "POST /api/tokens": "token-made",
  "DELETE /api/tokens/:id": "token-revoked",
  "POST /keys": "key-made",
  "DELETE /keys/:id": "key-revoked",
  "GET /api/backup": "backup",
  "POST /api/import": "import",
  "POST /learnings/import": "import",
  "POST /api/deployments/:id/activate": "activation",
  "DELETE /api/deployments/:id": "deletion",
  "DELETE /api/sites/:name": "deletion",
  "DELETE /learnings": "deletion",
  "POST /undo": "deletion",
  "POST /__companion/*": "approval",
  "PUT /state/:project": "steering",
  "PATCH /state/:project": "steering",
  "POST /state/:project/events": "steering",
  "POST /state/:project/resolve": "steering",
  "DELETE /api/fleet/:host/:worker": "steering",
  "POST /api/night/runs/:id/commands": "worker-command",
  "POST /api/queue/:id/cancel": "queue-change",
  "POST /api/queue/:id/retry": "queue-change",
  "POST /api/push/devices": "push-device",
  "GET /api/security-log": "log-read",
};

const REFUSED = new Set([401, 403, 429]);
const APPROVALS = "/__companion/approvals/";
const MAX_TEXT = 200;
/** what begins like a token or a key of ours, mistyped ones too */
const OWN_SECRETS = /\b(?:nightshift|nsm)_[\w-]{16,}/g;

/** A sender chooses the path: no secret that is in it, no invisible character, and no more than a line. */
const plain = (text: string): string =>
  redactSecrets(visibleText(text)).replace(OWN_SECRETS, "[REDACTED]").slice(0, MAX_TEXT);

/** What an answered request is for the security log: undefined for most of them. */
export const securityEventOf = (
  { method, url }: Pick<Request, "method" | "url">,
  { route, principal, clientAddress, subject }: RequestInfo,
  status: number,
): Omit<SecurityEvent, "at"> | undefined => {
  const path = new URL(url).pathname;
  const known = EVENTS[`${method} ${route ?? ""}`];
  const event = known === "approval" && !path.startsWith(APPROVALS) ? undefined : known;
  const isRefused = REFUSED.has(status);
  if (!isRefused && event === undefined) return undefined;
  return {
    event: event ?? "refusal",
    outcome: isRefused ? "refused" : status < 400 ? "ok" : "failed",
    ...(principal === undefined ? {} : { principal: plain(principal) }),
    ...(clientAddress === undefined ? {} : { address: clientAddress }),
    request: plain(`${method} ${path}`),
    status,
    ...(subject === undefined ? {} : { subject: plain(subject) }),
  };
};
