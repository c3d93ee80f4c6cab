import { AppError } from "../../core/errors.ts";
import { buildRequest, type GeneratedTool, validateInput } from "../../webmcp/index.ts";
import { authenticate, type AuthPorts, type Principal } from "../auth/authenticate.ts";
import { getRequestInfo } from "../http/request-info.ts";
import type { Approval } from "../auth/approvals/approval.ts";
import { decide, findApproval, holdRequest } from "./decide.ts";
import { describeApproval, type Read, titleOf } from "./describe-approval.ts";
import { fromHeldRequest, toHeldRequest } from "./held-request.ts";
import { BASE_PATH, signInFirst } from "./layout.ts";
import { outcomeOf } from "./outcome.ts";
import { approvalPage, auditPage, homePage, type Titled, toolPage } from "./pages.ts";
import { readForm } from "./tool-form.ts";
import type { CompanionPorts, ToolCalls } from "./tool-calls.ts";

/** The person's side: what waits, what was decided, and every tool as a form. */
export type Side = { ports: CompanionPorts; calls: ToolCalls };

const AUDIT_LENGTH = 200;

const signedIn = async (auth: AuthPorts, request: Request): Promise<Principal | undefined> => {
  try {
    return await authenticate(auth, request);
  } catch (error) {
    if (error instanceof AppError && error.code === "unauthorized") return undefined;
    throw error;
  }
};

const seeOther = (path: string): Response => new Response(null, { status: 303, headers: { location: path } });

export const showHome = async ({ ports, calls }: Side, request: Request): Promise<Response> => {
  const principal = await signedIn(ports.auth, request);
  const all = principal === undefined ? [] : await ports.approvals.list(principal.tokenId, AUDIT_LENGTH);
  const pending =
    principal === undefined
      ? []
      : await Promise.all(
          all
            .filter(({ status }) => status === "pending")
            .map((approval) => titled({ ports, calls }, { request, principal }, approval)),
        );
  const page = await homePage(calls.companion().tools, { signedInAs: principal?.label, pending });
  if (ports.originTrialToken !== undefined) page.headers.append("origin-trial", ports.originTrialToken);
  return page;
};

type Reader = { request: Request; principal: Principal };

/** Reads of the API as this person. */
const readAs =
  (calls: ToolCalls, { request, principal }: Reader): Read =>
  async (path, tool) => {
    const { origin } = new URL(request.url);
    const answer = await calls.send(new Request(origin + path), tool, { request, principal });
    return answer.ok ? ((await answer.json()) as Record<string, unknown>) : undefined;
  };

const titled = async ({ calls }: Side, reader: Reader, approval: Approval): Promise<Titled> => ({
  ...approval,
  title: await titleOf(readAs(calls, reader), approval),
});

/** The audit list: a page, or JSON for who asks for it. */
export const showApprovals = async ({ ports, calls }: Side, request: Request): Promise<Response> => {
  const wantsJson = request.headers.get("accept")?.includes("application/json") === true;
  const principal = wantsJson ? await authenticate(ports.auth, request) : await signedIn(ports.auth, request);
  if (principal === undefined) return signInFirst(request);
  const wanted = new URL(request.url).searchParams.get("status");
  const all = await ports.approvals.list(principal.tokenId, AUDIT_LENGTH);
  const approvals = all.filter(({ status }) => wanted === null || status === wanted);
  if (!wantsJson) return auditPage(approvals);
  return Response.json(
    {
      approvals: await Promise.all(
        approvals.map(async (approval) => {
          const isWaiting = approval.status === "pending";
          const { title } = isWaiting
            ? await titled({ ports, calls }, { request, principal }, approval)
            : { title: undefined };
          return { ...viewApproval(approval), ...(title === undefined ? {} : { title }) };
        }),
      ),
    },
    { headers: { "cache-control": "no-store" } },
  );
};

const viewApproval = (approval: Approval) => {
  const { id, status, tool, method, target, contentType, body, digest, askedBy, createdAt, expiresAt } =
    approval;
  const { decidedAt, answer } = approval;
  return {
    id,
    status,
    tool,
    method,
    target,
    contentType,
    body,
    digest,
    askedBy,
    createdAt: new Date(createdAt).toISOString(),
    expiresAt: new Date(expiresAt).toISOString(),
    ...(decidedAt === undefined ? {} : { decidedAt: new Date(decidedAt).toISOString() }),
    ...(answer === undefined ? {} : { answerStatus: answer.status }),
  };
};

export const showApproval = async (
  { ports, calls }: Side,
  request: Request,
  id: string,
): Promise<Response> => {
  const principal = await signedIn(ports.auth, request);
  if (principal === undefined) return signInFirst(request);
  const approval = await findApproval(ports.approvals, principal, id);
  return approvalPage(approval, await describeApproval(readAs(calls, { request, principal }), approval));
};

/** A form's values; a form carries the page's half of the session, because it can send no header. */
const readSent = async (request: Request): Promise<URLSearchParams> => {
  const values = new URLSearchParams(await request.text());
  const proof = values.get("session");
  if (proof !== null) getRequestInfo(request).sessionProof = proof;
  values.delete("session");
  return values;
};

/** What the waiting tool asks for. */
export const showOutcome = async ({ ports }: Side, request: Request, id: string): Promise<Response> => {
  const principal = await authenticate(ports.auth, request);
  return outcomeOf(await findApproval(ports.approvals, principal, id));
};

export const takeDecision = async (
  { ports, calls }: Side,
  request: Request,
  id: string,
): Promise<Response> => {
  const form = await readSent(request);
  const principal = await authenticate(ports.auth, request);
  requirePerson(request, principal);
  const verdict = form.get("decision");
  if (verdict !== "approve" && verdict !== "deny")
    throw new AppError("bad-data", "decision must be approve or deny");
  const { origin } = new URL(request.url);
  const { tool, method, target } = await findApproval(ports.approvals, principal, id);
  getRequestInfo(request).subject = `${verdict} ${tool}: ${method} ${target}`;
  await decide(ports, principal, { id, digest: form.get("digest") ?? "", verdict }, (approval) =>
    calls.send(fromHeldRequest(approval, origin), approval.tool, { request, principal }),
  );
  return seeOther(`${BASE_PATH}/approvals/${id}`);
};

/**
 * A decision is a person's: a signed-in browser that navigates because somebody pressed a button. A script on a
 * page cannot make a request look like that (Fetch Metadata), and a token has nobody who looks.
 */
const requirePerson = (request: Request, principal: Principal): void => {
  if (principal.via !== "session")
    throw new AppError("forbidden", "Only a signed-in publisher decides, in a browser");
  const mode = request.headers.get("sec-fetch-mode");
  const isNavigation = mode === "navigate" && request.headers.get("sec-fetch-user") === "?1";
  // Over plain http on another machine browsers send none of these; the session's Origin check remains.
  if (mode !== null && !isNavigation)
    throw new AppError("forbidden", "A script cannot decide: open the approval and press its button");
};

export const showTool = async (side: Side, request: Request, name: string): Promise<Response> => {
  const tool = side.calls.findTool(name);
  const values = new URL(request.url).searchParams;
  if (tool.operation.requiresApproval || !values.has("run")) return toolPage(tool, { values, faults: [] });
  const principal = await signedIn(side.ports.auth, request);
  return principal === undefined ? signInFirst(request) : runRead(side, { request, principal }, tool, values);
};

const runRead = async (
  { calls }: Side,
  caller: { request: Request; principal: Principal },
  tool: GeneratedTool,
  values: URLSearchParams,
): Promise<Response> => {
  const input = readForm(tool, values);
  const faults = validateInput(tool, input);
  if (faults.length > 0) return toolPage(tool, { values, faults });
  const built = buildRequest(tool, input, new URL(caller.request.url).origin);
  const response = await calls.send(built, tool.name, caller);
  return toolPage(tool, {
    values,
    faults,
    answer: { status: response.status, text: await readable(response) },
  });
};

const readable = async (response: Response): Promise<string> => {
  const text = await response.text();
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
};

/** A person's own change goes the same way as an agent's: held, shown, decided. */
export const prepareByForm = async (
  { ports, calls }: Side,
  request: Request,
  name: string,
): Promise<Response> => {
  const values = await readSent(request);
  const principal = await authenticate(ports.auth, request);
  const tool = calls.findTool(name);
  if (!tool.operation.requiresApproval)
    throw new AppError("usage", `${name} changes nothing; open it with GET`);
  const input = readForm(tool, values);
  const faults = validateInput(tool, input);
  if (faults.length > 0) return toolPage(tool, { values, faults });
  const built = buildRequest(tool, input, new URL(request.url).origin);
  const { id } = await holdRequest(ports, principal, await toHeldRequest(built, tool));
  return seeOther(`${BASE_PATH}/approvals/${id}`);
};
