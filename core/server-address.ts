import type { ServerDeclaration } from "./config/sections/services.ts";
import { type Credential, chooseCredential, readCredential } from "./credentials.ts";
import { AppError } from "./errors.ts";
import type { Environment } from "./paths.ts";

const DEFAULT_PORT = 4747;

/** What a client command was told about the server, in the order in which it counts. */
export type ServerHints = {
  url?: string | undefined;
  tokenFile?: string | undefined;
  env: Environment;
  config?: ServerDeclaration | undefined;
};

/** A server that listens everywhere is reached here. */
const EVERYWHERE: Record<string, string> = { "0.0.0.0": "127.0.0.1", "::": "[::1]" };

/**
 * Where the server is: `--url`, `NIGHTSHIFT_URL`, the config, else `http://HOST:PORT` of this machine.
 * @throws AppError `usage` for something that is no http(s) address
 */
export const findServerUrl = ({ url, env, config }: ServerHints): string => {
  const host = env["HOST"] || config?.host || "127.0.0.1";
  const port = env["PORT"] || config?.port || DEFAULT_PORT;
  const found = url ?? (env["NIGHTSHIFT_URL"] || config?.url || `http://${EVERYWHERE[host] ?? host}:${port}`);
  if (!URL.canParse(found) || !/^https?:$/.test(new URL(found).protocol))
    throw new AppError("usage", `"${found}" is not the address of a server; write http://host:port`);
  return new URL(found).origin;
};

/**
 * The token for the server: the file named by `--token-file`, `NIGHTSHIFT_TOKEN`, what `nightshift login` made
 * known, else the admin token that a server of this machine wrote; each only where it may go.
 * @throws AppError `unauthorized` that says where a token was looked for, or why the server gets none
 */
export const findServerToken = (hints: ServerHints): string => {
  const { url, tokenFile: file, env } = hints;
  const address = findServerUrl(hints);
  const credential = chooseCredential("token", { url: address, isTyped: url !== undefined, file, env });
  const token = readCredential(credential);
  if (token !== undefined) return token;
  throw new AppError("unauthorized", noToken(address, credential, file !== undefined));
};

const noToken = (address: string, credential: Credential | undefined, isNamed: boolean): string => {
  const place = credential && "file" in credential ? credential.file : undefined;
  if (isNamed) return `there is no token in ${place}`;
  return place === undefined
    ? `no token for ${address}: set NIGHTSHIFT_TOKEN, or run: nightshift login ${address} --token-file <file>`
    : `no token for ${address}: set NIGHTSHIFT_TOKEN or --token-file, or start a server here (it writes ${place})`;
};
