import { join } from "node:path";
import { writeFileDurably } from "./durable-file.ts";
import { AppError } from "./errors.ts";
import { type Environment, expandHome, homeFolder, nightshiftHome } from "./paths.ts";
import { readFileIfThere } from "./read-file.ts";

/** A `token` is for the server's API, a `key` for its memory. */
export type CredentialKind = "token" | "key";

/** What this user says of a server: the files of what it issued, and whether it may be talked to without TLS. */
export type KnownServer = { tokenFile?: string; keyFile?: string; plainHttp?: boolean };

/** A credential that may go to the server it was asked for. */
export type Credential = { file: string } | { value: string };

type CredentialRequest = {
  url: string;
  /** the address was typed with the command, and not found in a file */
  isTyped?: boolean;
  /** `--token-file`, `--key-file` */
  file?: string | undefined;
  env: Environment;
};

const serversPath = (env: Environment): string => join(nightshiftHome(env), "servers.json");

/**
 * The servers that this user made known (`nightshift login`), by origin.
 * @throws AppError `config` for a file that is no JSON
 */
export const readServers = (env: Environment): Record<string, KnownServer> => {
  const path = serversPath(env);
  const text = readFileIfThere(path);
  if (text === undefined) return {};
  try {
    return JSON.parse(text) as Record<string, KnownServer>;
  } catch (error) {
    throw new AppError("config", `${path} is not JSON; correct it, or remove it and log in again`, {
      cause: error,
    });
  }
};

export const writeServers = (env: Environment, servers: Readonly<Record<string, KnownServer>>): void =>
  writeFileDurably(serversPath(env), `${JSON.stringify(servers, undefined, 2)}\n`, { mode: 0o600 });

/** Whether an address is this machine by its very form; a name that DNS could answer is not. */
export const isLoopback = (url: string): boolean => {
  const { hostname } = new URL(url);
  return hostname === "localhost" || hostname === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(hostname);
};

/** The addresses that the environment names: who sets it decides, as with the variables that hold the secrets. */
const isNamedByEnvironment = (origin: string, env: Environment): boolean =>
  [env["NIGHTSHIFT_URL"], env["NIGHTSHIFT_MEMORY_URL"]].some(
    (url) => url !== undefined && URL.canParse(url) && new URL(url).origin === origin,
  );

const WORD = { token: "token", key: "memory key" } as const;
const OPTION = { token: "--token-file", key: "--key-file" } as const;

const defaultFile = (kind: CredentialKind, env: Environment): string =>
  kind === "token" ? join(nightshiftHome(env), "admin-token") : join(homeFolder(env), ".memory-api-key");

/** What the environment gives: the token itself, or the name of the key's file. */
const fromEnvironment = (kind: CredentialKind, env: Environment): Credential | undefined => {
  if (kind === "token") return env["NIGHTSHIFT_TOKEN"] ? { value: env["NIGHTSHIFT_TOKEN"] } : undefined;
  return env["MEMORY_API_KEY_FILE"] ? { file: env["MEMORY_API_KEY_FILE"] } : undefined;
};

/**
 * The one place that decides which credential goes to which server. A project's files may name a server; that
 * gives it nothing. A credential goes to this machine, to a server that the user made known with
 * `nightshift login`, to one that the environment names, or, with a file named on the command line, to an
 * address typed beside it; and off this machine only over TLS.
 * @returns undefined where this user has none for the server
 * @throws AppError `unauthorized` for a server that gets none, with what would change that
 */
export const chooseCredential = (
  kind: CredentialKind,
  { url, isTyped = false, file, env }: CredentialRequest,
): Credential | undefined => {
  const { origin, protocol } = new URL(url);
  const isHere = isLoopback(origin);
  const servers = readServers(env);
  const known = Object.hasOwn(servers, origin) ? servers[origin] : undefined;
  const isNamed = isNamedByEnvironment(origin, env);
  if (!isHere && !known && !isNamed && !(isTyped && file !== undefined))
    throw new AppError(
      "unauthorized",
      `no ${WORD[kind]} is sent to ${origin}: it is not in your list of servers; if it is yours: nightshift login ${origin} ${OPTION[kind]} <file>`,
    );
  if (!isHere && protocol !== "https:" && known?.plainHttp !== true)
    throw new AppError(
      "unauthorized",
      `no ${WORD[kind]} is sent to ${origin}: it is another machine and has no TLS; use https, or on a network that you trust: nightshift login ${origin} --plain-http`,
    );
  if (file !== undefined) return { file: expandHome(file, env) };
  const own = kind === "token" ? known?.tokenFile : known?.keyFile;
  const given = fromEnvironment(kind, env);
  if (given && (isNamed || own === undefined)) return given;
  if (own !== undefined) return { file: own };
  // What a server of this machine wrote was issued for this machine; elsewhere only who lists it says otherwise.
  return isHere || known ? { file: defaultFile(kind, env) } : undefined;
};

/** The text of a credential; undefined where its file is missing or empty. */
export const readCredential = (credential: Credential | undefined): string | undefined => {
  if (credential === undefined) return undefined;
  const text = "value" in credential ? credential.value : readFileIfThere(credential.file);
  return text?.trim() || undefined;
};
