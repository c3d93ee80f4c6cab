import { sessionHeaders } from "./session.ts";

/** An answer that is no success, with the words of its problem document. */
export class ApiError extends Error {
  readonly status: number;
  readonly faults: string[];

  constructor(status: number, message: string, faults: string[]) {
    super(message);
    this.status = status;
    this.faults = faults;
  }
}

type Problem = { error?: string; errors?: { message: string }[] };

const lost = (): string =>
  navigator.onLine
    ? "The server does not answer. Check that it is running, then try again."
    : "This device is offline. Try again once it has a network.";

/** What a problem document says, or the bare status where there is none. */
const toApiError = (status: number, text: string): ApiError => {
  if (status === 0) return new ApiError(0, lost(), []);
  try {
    const problem = JSON.parse(text) as Problem;
    const faults = (problem.errors ?? []).map(({ message }) => message);
    return new ApiError(status, problem.error ?? `The server answered ${status}`, faults);
  } catch {
    return new ApiError(status, `The server answered ${status}`, []);
  }
};

/** Told when the server no longer knows the session: it ran out, or its token was revoked. */
export const SESSION_ENDED = "nightshift-session-ended";

/** An answer that is no success, as an error; the whole page learns of a session that has ended. */
export const refuse = (status: number, text: string): ApiError => {
  if (status === 401) dispatchEvent(new Event(SESSION_ENDED));
  return toApiError(status, text);
};

/** One call of the server's API with the session, or with a token in its headers. @throws ApiError */
export const call = async <T>(
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<T> => JSON.parse(await callText(method, path, body, headers)) as T;

/** The same for an answer that is no JSON document. */
export const callText = async (...request: Parameters<typeof callRaw>): Promise<string> =>
  (await callRaw(...request)).text();

const callRaw = async (
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Response> => {
  let response: Response;
  try {
    response = await fetch(path, {
      method,
      credentials: "same-origin",
      headers: {
        ...sessionHeaders(),
        ...headers,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  } catch {
    throw new ApiError(0, lost(), []);
  }
  // A wrong token says nothing of the session.
  if (!response.ok)
    throw (headers["authorization"] === undefined ? refuse : toApiError)(
      response.status,
      await response.text(),
    );
  return response;
};

/** Saves an answer as a file; a plain link could not carry the session. @throws ApiError */
export const saveAs = async (path: string, name: string): Promise<void> => {
  const url = URL.createObjectURL(await (await callRaw("GET", path)).blob());
  Object.assign(document.createElement("a"), { href: url, download: name }).click();
  URL.revokeObjectURL(url);
};

export type Session = Me & { session: string; expiresAt: string };
export type Me = { token: string; label: string; site?: string; actions: string[] };
export type Limits = { maxFiles: number; maxFileBytes: number; maxSiteBytes: number };

export type DeploymentSummary = {
  id: string;
  site: string;
  owner: string;
  status: "pending" | "active" | "superseded" | "expired";
  createdAt: string;
  activatedAt?: string;
  message?: string;
  pinned: boolean;
  files: number;
  bytes: number;
  /** of one that waits: what of its upload has not come */
  missingFiles?: number;
  previewUrl: string;
};

export type Site = {
  name: string;
  createdAt: string;
  updatedAt: string;
  activeDeploymentId?: string;
  deployments: number;
  siteUrl: string;
  active?: DeploymentSummary;
};

export type SiteList = { sites: Site[]; siteDomain: string; limits: Limits };
export type Changes = { added: string[]; changed: string[]; removed: string[]; unchanged: number };
export type Missing = { path: string; sha256: string; size: number };

export type Token = {
  id: string;
  label: string;
  site?: string;
  actions: string[];
  createdAt: string;
  expiresAt?: string;
  lastUsedAt?: string;
  isCurrent?: boolean;
};

/** Whether the signed-in token may do something; who may steer workers may watch them. */
export const may = ({ actions }: Me, action: string): boolean =>
  actions.includes(action) || actions.includes("admin") || (action === "watch" && actions.includes("steer"));
