import { join } from "node:path";
import type { ServerDeclaration } from "./config/sections/services.ts";
import { readFileIfThere } from "./read-file.ts";
import { AppError } from "./errors.ts";
import { type Environment, expandHome, nightshiftHome } from "./paths.ts";

const DEFAULT_PORT = 4747;

/** What a client command was told about the server, in the order in which it counts. */
export type ServerHints = {
  url?: string | undefined;
  tokenFile?: string | undefined;
  env: Environment;
  config?: ServerDeclaration | undefined;
};

/**
 * Where the server is: `--url`, `NIGHTSHIFT_URL`, the config, else `http://HOST:PORT` of this machine.
 * @throws AppError `usage` for something that is no http(s) address
 */
export const findServerUrl = ({ url, env, config }: ServerHints): string => {
  const host = env["HOST"] || config?.host || "127.0.0.1";
  const port = env["PORT"] || config?.port || DEFAULT_PORT;
  const found = url ?? (env["NIGHTSHIFT_URL"] || config?.url || `http://${host}:${port}`);
  if (!URL.canParse(found) || !/^https?:$/.test(new URL(found).protocol))
    throw new AppError("usage", `"${found}" is not the address of a server; write http://host:port`);
  return new URL(found).origin;
};

/**
 * The token for the server: the file named by `--token-file`, `NIGHTSHIFT_TOKEN`, else the admin token that
 * a server of this machine wrote.
 * @throws AppError `unauthorized` that says where a token was looked for
 */
export const findServerToken = ({ tokenFile, env }: ServerHints): string => {
  const file = tokenFile === undefined ? undefined : expandHome(tokenFile, env);
  const fallback = join(nightshiftHome(env), "admin-token");
  const token =
    file === undefined ? env["NIGHTSHIFT_TOKEN"] || readFileIfThere(fallback) : readFileIfThere(file);
  if (token?.trim()) return token.trim();
  throw new AppError(
    "unauthorized",
    file === undefined
      ? `no token: set NIGHTSHIFT_TOKEN or --token-file, or start a server here (it writes ${fallback})`
      : `there is no token in ${file}`,
  );
};
