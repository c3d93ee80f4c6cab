import { withoutUndefined } from "../../core/without-undefined.ts";
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import type { RecallSettings } from "../session/past-conversations.ts";
import type { AgentConfig } from "../../core/config/agent-config.ts";
import type { LoadedConfig } from "../../core/config/load-config.ts";
import { chooseCredential } from "../../core/credentials.ts";
import { AppError, errorText } from "../../core/errors.ts";
import { hostName } from "../../core/host-name.ts";
import type { Environment } from "../../core/paths.ts";
import { findServerUrl } from "../../core/server-address.ts";
import type { StartRequest } from "../loop/start-request.ts";
import type { MemorySettings } from "../session/memory-client.ts";
import type { FleetSettings } from "../telling/fleet-client.ts";

/** How past conversations are asked, unless the config switches that off. */
const recallSettings = ({ recall = {} }: AgentConfig): RecallSettings | undefined => {
  const { enabled, scope = "everywhere", maxTokens = 1000, timeoutSeconds = 5 } = recall;
  return enabled === false ? undefined : { scope, maxTokens, timeoutMs: timeoutSeconds * 1000 };
};

/** The file of the key that a server gets; @throws AppError `unauthorized` where this user has none for it */
const keyFileFor = (url: string, env: Environment): string => {
  const credential = chooseCredential("key", { url, env });
  if (credential && "file" in credential) return resolve(credential.file);
  throw new AppError(
    "unauthorized",
    `there is no memory key for ${new URL(url).origin}; set MEMORY_API_KEY_FILE, or run: nightshift login ${new URL(url).origin} --key-file <file>`,
  );
};

/** Where a worker's memory is, or why it has none, and how to start one. */
export type MemoryChoice =
  | { settings: MemorySettings; off?: undefined; next?: undefined }
  | { settings?: undefined; off: string; next?: string };

/**
 * The memory service: the config's, `NIGHTSHIFT_MEMORY_URL`, else the server of this machine once it has made its
 * key. A server that is not this user's is not asked at all: what is sent to it is the task, and what it answers
 * goes into prompts.
 */
export const chooseMemory = ({ config }: Pick<LoadedConfig, "config">, env: Environment): MemoryChoice => {
  try {
    const named = config.memory?.url ?? env["NIGHTSHIFT_MEMORY_URL"];
    const url = named || findServerUrl({ env, config: config.server });
    const keyFile = keyFileFor(url, env);
    if (named || existsSync(keyFile)) return { settings: { url, keyFile } };
    return { off: `no server has created ${keyFile} yet`, next: "nightshift serve" };
  } catch (error) {
    return { off: errorText(error) };
  }
};

export const memorySettings = (
  loaded: Pick<LoadedConfig, "config">,
  env: Environment,
): MemorySettings | undefined => chooseMemory(loaded, env).settings;

/** The services that a supervisor talks to, as today's config says. */
export const serviceSettings = (
  loaded: LoadedConfig,
  env: Environment,
): Pick<StartRequest, "memory" | "memoryOff" | "recall" | "fleet" | "notify"> => {
  const { settings: memory, off, next } = chooseMemory(loaded, env);
  return withoutUndefined({
    memory,
    memoryOff: next === undefined ? off : `${off}; start one with: ${next}`,
    recall: recallSettings(loaded.config),
    fleet: fleetSettings(loaded, env),
    notify: loaded.config.notify,
  });
};

/** The server that a worker is reported to: the config's, `NIGHTSHIFT_URL`, else the one of the memory. */
export const fleetSettings = (
  loaded: Pick<LoadedConfig, "config">,
  env: Environment,
): FleetSettings | undefined => {
  const memory = memorySettings(loaded, env);
  const url = loaded.config.server?.url ?? env["NIGHTSHIFT_URL"];
  if (!url) return memory && { ...memory, host: hostName(env) };
  try {
    return { url, keyFile: keyFileFor(url, env), host: hostName(env) };
  } catch {
    return undefined; // not this user's server: it is told nothing
  }
};
