import { findServerToken, findServerUrl } from "../../../core/server-address.ts";
import { systemClock } from "../../../core/clock.ts";
import { createServerClient, type ServerClient } from "../../publish/server-client.ts";
import { readConfig } from "../../command/read-config.ts";
import type { CommandIo, OptionSpecs } from "../../command/define-command.ts";

/** Options of every command that talks to the server. */
export const SERVER_OPTIONS = {
  url: {
    type: "string",
    placeholder: "address",
    description: "The server; else NIGHTSHIFT_URL, the config, http://HOST:PORT",
  },
  tokenFile: {
    type: "string",
    placeholder: "file",
    complete: "file",
    description: "File of the token; else NIGHTSHIFT_TOKEN, nightshift login, ~/.nightshift/admin-token",
  },
} as const satisfies OptionSpecs;

/** A client of the server that the options, the environment and the config name. */
export const openServerClient = async (
  { url, tokenFile }: { url: string | undefined; tokenFile: string | undefined },
  io: CommandIo,
): Promise<ServerClient> => {
  const { config } = await readConfig(io);
  const hints = { url, tokenFile, env: io.env, config: config.server };
  return createServerClient(
    { fetch, clock: systemClock, random: Math.random },
    { url: findServerUrl(hints), token: findServerToken(hints), signal: io.signal },
  );
};
