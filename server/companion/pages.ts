import { injectWebMcpBootstrap, type GeneratedTool, type InputFault } from "../../webmcp/index.ts";
import type { Approval, ApprovalStatus } from "../auth/approvals/approval.ts";
import type { Described } from "./describe-approval.ts";
import { markup, showHidden, withCode, type Html } from "./html.ts";
import { BASE_PATH, page } from "./layout.ts";
import { renderForm } from "./tool-form.ts";

const STATES: Record<ApprovalStatus, string> = {
  pending: "waiting for you",
  denied: "denied, never sent",
  sending: "approved, being sent",
  done: "approved and done",
  failed: "approved, and refused by the server",
  unknown: "approved; the server ended before the answer came",
  expired: "expired, never sent",
};

const time = (at: number): Html => {
  const text = new Date(at).toISOString();
  // The page's script says it in the reader's own time.
  return markup`<time datetime="${text}">${text.slice(0, 16).replace("T", " ")} UTC</time>`;
};

const BADGES: Partial<Record<ApprovalStatus, string>> = {
  pending: "pending",
  failed: "pending",
  unknown: "pending",
  done: "active",
};

const state = (status: ApprovalStatus): Html =>
  markup`<span class="badge ${BADGES[status] ?? ""}">${STATES[status]}</span>`;
const link = (id: string): string => `${BASE_PATH}/approvals/${encodeURIComponent(id)}`;

/** What waits, with what it would do in words. */
export type Titled = Approval & { title: string };

/** The page that carries the tools: for browser agents by the bootstrap, for people by links. */
export const homePage = (
  tools: readonly GeneratedTool[],
  { signedInAs, pending }: { signedInAs: string | undefined; pending: readonly Titled[] },
): Promise<Response> => {
  const rows = tools.map(
    ({ name, title, description, operation }) =>
      markup`<tr>
        <td>
          <a href="${BASE_PATH}/tools/${name}"><code>${name}</code></a>
        </td>
        <td>${withCode(title ?? description)}</td>
        <td>${operation.requiresApproval ? "changes data, asks you first" : "reads"}</td>
      </tr>`,
  );
  const who =
    signedInAs === undefined
      ? markup`<p class="notice">
          You are not signed in, so calls are refused.
          <a href="/app?back=${encodeURIComponent(`${BASE_PATH}/`)}">Sign in</a>
        </p>`
      : markup`<p>
          Signed in as ${signedInAs}. A browser agent on this page can use the tools below. Nothing changes
          until you approve it.
        </p>`;
  const body = markup`${who}
    <h2>Waiting for you</h2>
    <p id="nothing-waits" ${pending.length > 0 ? markup` hidden` : markup``}>Nothing is waiting for a decision.</p>
    <ul id="waiting">
      ${pending.map(
        ({ id, title, askedBy }) =>
          markup`<li><a class="button" href="${link(id)}">Review: ${title}</a> <span class="quiet">asked by ${askedBy}</span></li>`,
      )}
    </ul>
    <p><a href="${BASE_PATH}/approvals">All requests and decisions</a></p>
    <h2>Tools</h2>
    <div class="scroll">
      <table>
        <thead>
          <tr>
            <th>Tool</th>
            <th>What it does</th>
            <th>Kind</th>
          </tr>
        </thead>
        <tbody>
          ${rows}
        </tbody>
      </table>
    </div>
    <h2>Last call by an agent</h2>
    <pre id="webmcp-result" aria-live="polite">No agent has called a tool on this page yet.</pre>`;
  return injectWebMcpBootstrap(
    page({ title: "Companion", body, isLocked: signedInAs === undefined }),
    `${BASE_PATH}/bootstrap.js`,
  );
};

/** What a tool's description says beyond its title, which is the heading. */
const restOfDescription = ({ title, description }: GeneratedTool): Html | undefined => {
  if (title === undefined) return undefined;
  const rest = description.startsWith(title)
    ? description.slice(title.length).replace(/^[.\s]+/, "")
    : description;
  return rest === "" ? undefined : markup`<p>${withCode(rest)}</p>`;
};

/** A tool as a form; for a read also what it answered. */
export const toolPage = (
  tool: GeneratedTool,
  shown: {
    values: URLSearchParams;
    faults: readonly InputFault[];
    answer?: { status: number; text: string } | undefined;
  },
): Response => {
  const { answer, faults } = shown;
  const general = faults.filter(({ path }) => path === "").length > 0;
  return page({
    title: tool.title ?? tool.description,
    above: "Companion",
    status: faults.length > 0 ? 400 : 200,
    body: markup`${restOfDescription(tool)}
      <p><code>${tool.operation.method} ${tool.operation.path}</code></p>
      ${general ? markup`<p class="notice warn">Something is missing or unknown; see below.</p>` : undefined}
      ${renderForm(tool, shown)}
      ${
        answer === undefined
          ? undefined
          : markup`<h2>Answer: ${answer.status}</h2>
              <pre>${answer.text}</pre>`
      }`,
  });
};

/**
 * What would happen, in words, exactly what will be sent, and the decision. Runs no script but our own and cannot be
 * framed.
 */
export const approvalPage = (approval: Approval, described: Described): Response => {
  const { tool, method, target, contentType, body, digest, askedBy, createdAt, expiresAt, status, answer } =
    approval;
  return page({
    title: described.title,
    above: "Approvals",
    body: markup`<p>${state(status)}</p>
      ${described.body} ${status === "pending" ? decisionForm(approval) : undefined}
      <dl>
        <dt>Tool</dt>
        <dd><code>${tool}</code></dd>
        <dt>Asked by</dt>
        <dd>${askedBy}</dd>
        <dt>Asked</dt>
        <dd>${time(createdAt)}</dd>
        <dt>Expires</dt>
        <dd>${time(expiresAt)}</dd>
        <dt>Digest</dt>
        <dd><code>${digest}</code></dd>
      </dl>
      <h2>What will be sent</h2>
      <pre id="request">
${method} ${target}${contentType === "" ? "" : `\ncontent-type: ${contentType}`}${body === "" ? "" : `\n\n${showHidden(body)}`}</pre>
      ${body === "" ? markup`<p>The request has no body.</p>` : undefined}
      ${
        showHidden(body) === body
          ? undefined
          : markup`<p class="notice warn">The text contains invisible characters; they are written as ⟦U+…⟧.</p>`
      }
      ${
        answer === undefined
          ? undefined
          : markup`<h2>Answer: ${answer.status}</h2>
              <pre>${showHidden(answer.body)}</pre>`
      }`,
  });
};

const decisionForm = ({ id, digest }: Approval): Html =>
  markup`<form class="row" method="post" action="${link(id)}">
    <input type="hidden" name="digest" value="${digest}" />
    <button class="primary" name="decision" value="approve">Approve and send</button>
    <button name="decision" value="deny">Deny</button>
  </form>`;

/** What was asked and decided, the newest first. */
export const auditPage = (approvals: readonly Approval[]): Response => {
  const rows = approvals.map(
    ({ id, tool, method, target, status, createdAt, decidedAt }) =>
      markup`<tr>
        <td>${time(createdAt)}</td>
        <td>
          <a href="${link(id)}"><code>${tool}</code></a>
        </td>
        <td><code>${method} ${target}</code></td>
        <td>${state(status)}${decidedAt === undefined ? undefined : markup`<br />${time(decidedAt)}`}</td>
      </tr>`,
  );
  const table = markup`<div class="scroll">
    <table>
      <thead>
        <tr>
          <th>Asked</th>
          <th>Tool</th>
          <th>Request</th>
          <th>Outcome</th>
        </tr>
      </thead>
      <tbody>
        ${rows}
      </tbody>
    </table>
  </div>`;
  const empty = markup`<p>
    No changes have been requested yet. Open <a href="${BASE_PATH}/">the companion</a> with a browser agent,
    or fill in a form there.
  </p>`;
  return page({ title: "Approvals", above: "Companion", body: approvals.length === 0 ? empty : table });
};
