import { AppError, causeText, type Fault } from "../../core/errors.ts";
import { codeOfStatus } from "../../core/error-codes.ts";
import type { Clock } from "../../core/clock.ts";

export type ServerPorts = { fetch: typeof fetch; clock: Clock; random: () => number };
export type ServerAccess = { url: string; token: string; signal: AbortSignal };

/** One request to the server's API, sent again when it gets lost unless `once` says that this is not harmless. */
export type ServerRequest = {
  once?: boolean;
  method: string;
  path: string;
  headers?: Record<string, string>;
  body?: string | Uint8Array<ArrayBuffer>;
};

const ATTEMPTS = 6;
const FIRST_WAIT_MS = 200;
const MAX_WAIT_MS = 10_000;
const RETRIED = new Set([408, 429, 500, 502, 503, 504]);

type ProblemBody = { error?: unknown; errors?: unknown; [member: string]: unknown };

const toError = async (response: Response, { method, path }: ServerRequest): Promise<AppError> => {
  const code = codeOfStatus(response.status);
  const text = await response.text();
  let body: ProblemBody = {};
  try {
    body = JSON.parse(text) as ProblemBody;
  } catch {
    // An answer of something between us and the server; its status says enough.
  }
  const message =
    typeof body.error === "string" ? body.error : `${method} ${path} answered ${response.status}`;
  const faults = Array.isArray(body.errors) ? (body.errors as Fault[]) : [];
  return new AppError(code, message, { faults, details: { status: response.status } });
};

const waitMs = (attempt: number, response: Response | undefined, random: () => number): number => {
  const asked = Number(response?.headers.get("retry-after") ?? Number.NaN);
  if (!Number.isNaN(asked)) return Math.min(asked * 1000, MAX_WAIT_MS * 3);
  return Math.min(FIRST_WAIT_MS * 2 ** attempt, MAX_WAIT_MS) * (0.5 + random() / 2);
};

export type ServerClient = {
  json: <T>(request: ServerRequest) => Promise<T>;
  text: (request: ServerRequest) => Promise<string>;
};

/**
 * A client of the server's API that sends again what did not arrive: on a lost connection, on 429 and on
 * 5xx, with growing pauses. Every request of ours may be repeated (uploads by their digest, creation by its
 * Idempotency-Key, activation by its nature).
 * @throws AppError of the answer's meaning; `unavailable` when the server cannot be reached; `interrupted`
 */
export const createServerClient = (ports: ServerPorts, access: ServerAccess): ServerClient => {
  const { url, token, signal } = access;
  const once = async ({ method, path, headers, body }: ServerRequest): Promise<Response | Error> => {
    try {
      return await ports.fetch(`${url}${path}`, {
        method,
        signal,
        redirect: "error",
        headers: { authorization: `Bearer ${token}`, ...headers },
        ...(body === undefined ? {} : { body }),
      });
    } catch (error) {
      if (signal.aborted) throw new AppError("interrupted", "stopped", { cause: error });
      return error instanceof Error ? error : new Error(String(error));
    }
  };
  const send = async (request: ServerRequest): Promise<Response> => {
    for (let attempt = 0; ; attempt++) {
      const result = await once(request);
      const response = result instanceof Response ? result : undefined;
      if (response?.ok) return response;
      const last = request.once || attempt + 1 >= ATTEMPTS || (response && !RETRIED.has(response.status));
      if (last && response) throw await toError(response, request);
      if (last)
        throw new AppError(
          "unavailable",
          `no server answers at ${url} (${causeText(result)}); start it with: nightshift serve`,
          {
            cause: result,
          },
        );
      await response?.body?.cancel();
      await ports.clock.sleep(waitMs(attempt, response, ports.random), signal);
    }
  };
  return {
    json: async <T>(request: ServerRequest) => (await (await send(request)).json()) as T,
    text: async (request) => (await send(request)).text(),
  };
};
