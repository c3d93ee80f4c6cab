import { treaty, type Treaty } from "@elysiajs/eden";
import { AppError, type Fault, causeText } from "../core/errors.ts";
import { ERROR_CODES, type ErrorCode, codeOfStatus } from "../core/error-codes.ts";
import type { App } from "../server/app.ts";

export type { FleetReport, FleetWorker } from "../server/fleet/schemas.ts";
export type { NightBatch, NightEvent, RunHead } from "../server/night/schemas.ts";

/**
 * Every route of the server as a method, `client.api.sites({ name }).get()`; what it takes and answers is the type of
 * the app itself. A part of a path goes through `inPath` first.
 */
export type ServerClient = Treaty.Create<App>;

export type ServerAccess = {
  /** the server's address, also with a path of its own behind a proxy */
  url: string;
  /** the key or token of each request; may throw, which fails the request */
  readKey?: () => string | undefined;
  fetch: (url: string, init?: RequestInit) => Promise<Response>;
  signal?: AbortSignal;
};

/** A client of the server that follows no redirect: a key goes only where it was meant to. */
export const createServerClient = ({ url, readKey, fetch, signal }: ServerAccess): ServerClient =>
  treaty<App>(url, {
    fetcher: fetch as typeof globalThis.fetch,
    fetch: { redirect: "error", ...(signal ? { signal } : {}) },
    parseDate: false,
    headers: () => {
      const key = readKey?.();
      return key ? { authorization: `Bearer ${key}` } : {};
    },
  });

/** A name or id as a part of a path. */
export const inPath = (part: string): string => encodeURIComponent(part);

/** An answer as Eden gives it. */
export type Reply = { data: unknown; error: { value: unknown } | null; status: number; response?: Response };
/** What of a reply is the answer. */
export type DataOf<R extends Reply> = NonNullable<R["data"]>;

type ProblemBody = { error?: unknown; code?: unknown; errors?: unknown };

const isErrorCode = (code: unknown): code is ErrorCode =>
  typeof code === "string" && Object.hasOwn(ERROR_CODES, code);

/** A refusal in the server's own words; what something between us and the server says is told by its status. */
const toError = (status: number, value: unknown): AppError => {
  const { error, code, errors } = (typeof value === "object" ? (value ?? {}) : {}) as ProblemBody;
  return new AppError(
    isErrorCode(code) ? code : codeOfStatus(status),
    typeof error === "string" ? error : `the server answered ${status}`,
    { faults: Array.isArray(errors) ? (errors as Fault[]) : [], details: { status } },
  );
};

export type ServerApi = {
  /**
   * What the server answers to a request.
   * @throws AppError with the server's code, words and faults; `unavailable` when no server answers; `interrupted`
   */
  call: <R extends Reply>(ask: (client: ServerClient) => Promise<R>) => Promise<DataOf<R>>;
  /** what a path answers as it comes, where that is no JSON document; throws the same */
  open: (path: string) => Promise<Response>;
};

/** The server's API for somebody who cannot go on without an answer. */
export const createServerApi = (access: ServerAccess): ServerApi => {
  const { url, signal, readKey, fetch } = access;
  const client = createServerClient(access);
  const silence = (cause: unknown): AppError =>
    signal?.aborted
      ? new AppError("interrupted", "stopped", { cause })
      : new AppError(
          "unavailable",
          `no server answers at ${url} (${causeText(cause)}); start it with: nightshift serve`,
          { cause },
        );
  return {
    call: async <R extends Reply>(ask: (client: ServerClient) => Promise<R>) => {
      const { data, error, response } = await ask(client);
      if (response && !error) return data as DataOf<R>;
      throw response ? toError(response.status, error?.value) : silence(error?.value);
    },
    open: async (path) => {
      const key = readKey?.();
      const response = await fetch(url + path, {
        redirect: "error",
        headers: key ? { authorization: `Bearer ${key}` } : {},
        ...(signal ? { signal } : {}),
      }).catch((error: unknown) => {
        throw silence(error);
      });
      if (!response.ok) throw toError(response.status, await response.json().catch(() => undefined));
      return response;
    },
  };
};

/** What came of a request that may fail: its answer, or why there is none in words, with the status if one came. */
export type Tried<T> =
  | { answer: T; problem?: undefined; status: number }
  | { answer?: undefined; problem: string; status?: number };

/** One request; `options` go with it. */
export type Ask<R extends Reply> = (
  client: ServerClient,
  options: { fetch: { signal: AbortSignal } },
) => Promise<R>;

/** Where one asks who goes on without an answer, and how long. */
export type TryAccess = Omit<ServerAccess, "signal"> & {
  timeoutMs: number;
  signal?: AbortSignal | undefined;
};

/**
 * One request of somebody who goes on without an answer; never throws. `read` takes what is needed of the answer: one
 * of another version, or of something between, that has it not is a problem and no crash.
 */
export const tryServer = async <R extends Reply, T = DataOf<R>>(
  { timeoutMs, signal, ...access }: TryAccess,
  ask: Ask<R>,
  read: (answer: DataOf<R>) => T = (answer) => answer as T,
): Promise<Tried<T>> => {
  const { url } = access;
  const late = AbortSignal.timeout(timeoutMs);
  const options = { fetch: { signal: signal ? AbortSignal.any([signal, late]) : late } };
  try {
    const { data, error, response } = await ask(createServerClient(access), options);
    const status = response?.status;
    if (status === undefined)
      return {
        problem: late.aborted
          ? `${url} did not answer within ${timeoutMs / 1000} s`
          : `${url}: ${causeText(error?.value)}`,
      };
    if (error) return { problem: `${url} answered ${status}`, status };
    if (typeof data !== "object" || data === null)
      return { problem: `${url} answered something that is not JSON`, status };
    try {
      return { answer: read(data), status };
    } catch {
      return { problem: `${url} answered something else than this version expects`, status };
    }
  } catch (error) {
    return { problem: `${url}: ${causeText(error)}` };
  }
};
