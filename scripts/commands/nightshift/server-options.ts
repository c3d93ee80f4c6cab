import { retryingFetch } from "../../../client/retrying-fetch.ts";
import { createServerApi, type ServerApi } from "../../../client/server-client.ts";
import { findServerToken, findServerUrl } from "../../../core/server-address.ts";
import { systemClock } from "../../../core/clock.ts";
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

/** The API of the server that the options, the environment and the config name. */
export type OpenedServer = {
  /** sends again what got lost: only for what may be repeated */
  repeating: ServerApi;
  /** sends everything once */
  once: ServerApi;
};

export const openServer = async (
  { url: typedUrl, tokenFile }: { url: string | undefined; tokenFile: string | undefined },
  io: CommandIo,
): Promise<OpenedServer> => {
  const { config } = await readConfig(io);
  const { env, signal } = io;
  const hints = { url: typedUrl, tokenFile, env, config: config.server };
  const url = findServerUrl(hints);
  const token = findServerToken(hints);
  const access = { url, signal, readKey: () => token };
  const again = retryingFetch({ fetch, clock: systemClock, random: Math.random }, signal);
  return {
    repeating: createServerApi({ ...access, fetch: again }),
    once: createServerApi({ ...access, fetch }),
  };
};
