import { createServerApi, type ServerApi } from "../../../client/server-client.ts";
import { chooseCredential, readCredential } from "../../../core/credentials.ts";
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

/** The API of the memory that the options, the environment and the config name. */
export const openMemoryApi = async (
  options: { url: string | undefined; keyFile: string | undefined },
  io: CommandIo,
): Promise<ServerApi> => {
  const { config } = await readConfig(io);
  const { env, signal } = io;
  const declared =
    config.memory?.url === undefined ? config.server : { ...config.server, url: config.memory.url };
  const url = findServerUrl({ url: options.url, env, config: declared });
  // Reading needs no key on this machine; where one is missing the server says so.
  const key = readCredential(
    chooseCredential("key", { url, isTyped: options.url !== undefined, file: options.keyFile, env }),
  );
  return createServerApi({ url, fetch, signal, readKey: () => key });
};
