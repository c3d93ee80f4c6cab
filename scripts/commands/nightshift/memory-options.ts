import { chooseCredential, readCredential } from "../../../core/credentials.ts";
import { AppError, errorText, type Fault } from "../../../core/errors.ts";
import { ERROR_CODES, type ErrorCode } from "../../../core/error-codes.ts";
import { findServerUrl } from "../../../core/server-address.ts";
import { readConfig } from "../../command/read-config.ts";
import type { CommandIo, OptionSpecs } from "../../command/define-command.ts";

/** Options of every command that talks to the memory. */
export const MEMORY_OPTIONS = {
  url: {
    type: "string",
    placeholder: "address",
    description: "The server; else NIGHTSHIFT_URL, the config, http://HOST:PORT",
  },
  keyFile: {
    type: "string",
    placeholder: "file",
    complete: "file",
    description: "File of the key; else MEMORY_API_KEY_FILE, nightshift login, ~/.memory-api-key",
  },
} as const satisfies OptionSpecs;

export type MemoryClient = {
  /** the parsed answer; @throws AppError with the server's own code, text and faults */
  json: <T>(method: string, path: string, body?: unknown) => Promise<T>;
  /** the answer as it comes */
  open: (method: string, path: string, body?: string) => Promise<Response>;
};

/** A client of the memory that the options, the environment and the config name. */
export const openMemoryClient = async (
  options: { url: string | undefined; keyFile: string | undefined },
  io: CommandIo,
): Promise<MemoryClient> => {
  const { config } = await readConfig(io);
  const { env, signal } = io;
  const declared =
    config.memory?.url === undefined ? config.server : { ...config.server, url: config.memory.url };
  const url = findServerUrl({ url: options.url, env, config: declared });
  // Reading needs no key on this machine; where one is missing the server says so.
  const key = readCredential(
    chooseCredential("key", { url, isTyped: options.url !== undefined, file: options.keyFile, env }),
  );

  const open = async (method: string, path: string, body?: string): Promise<Response> => {
    const response = await send(url + path, {
      method,
      signal,
      redirect: "error",
      headers: {
        ...(key ? { authorization: `Bearer ${key}` } : {}),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(body === undefined ? {} : { body }),
    });
    if (!response.ok) throw await toError(response);
    return response;
  };
  return {
    open,
    json: async <T>(method: string, path: string, body?: unknown) =>
      (await (await open(method, path, body === undefined ? undefined : JSON.stringify(body))).json()) as T,
  };
};

const send = async (url: string, init: RequestInit): Promise<Response> => {
  try {
    return await fetch(url, init);
  } catch (error) {
    if (init.signal?.aborted) throw new AppError("interrupted", "interrupted");
    throw new AppError(
      "unavailable",
      `no server answers at ${new URL(url).origin} (${errorText(error)}); start one with: nightshift serve`,
      { cause: error },
    );
  }
};

const toError = async (response: Response): Promise<AppError> => {
  const problem = (await response.json().catch(() => ({}))) as {
    error?: string;
    code?: string;
    errors?: Fault[];
  };
  const { code } = problem;
  const isKnown = (text: string | undefined): text is ErrorCode =>
    text !== undefined && Object.hasOwn(ERROR_CODES, text);
  return new AppError(
    isKnown(code) ? code : "unavailable",
    problem.error ?? `the server answered ${response.status}`,
    {
      faults: problem.errors ?? [],
    },
  );
};
