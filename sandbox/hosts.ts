import type { SandboxNeeds } from "../agents/agent.ts";
import type { Environment } from "../core/paths.ts";
import { readFileIfThere } from "../core/read-file.ts";

/** An address as an entry of the allow list; undefined for what is none. */
export const hostOf = (address: string | undefined): string | undefined => {
  if (address === undefined || !/^https?:\/\//i.test(address)) return undefined;
  try {
    const { host, port, protocol } = new URL(address);
    return port === "" ? `${host}:${protocol === "https:" ? 443 : 80}` : host;
  } catch {
    return undefined;
  }
};

const NAMED_ADDRESS = /\b(?:base_?url|api_?base|endpoint)"?\s*[:=]\s*["'](https?:\/\/[^"'\s]+)/gi;

/** The hosts of an agent's model: its own, and those that the user has put into its variables and settings. */
export const modelHosts = (
  needs: Pick<SandboxNeeds, "hosts">,
  { env, settings }: { env: Environment; settings: readonly string[] },
): string[] => {
  const named = settings.flatMap((file) =>
    [...(readFileIfThere(file) ?? "").matchAll(NAMED_ADDRESS)].map(([, address]) => hostOf(address)),
  );
  const told = Object.values(env).map(hostOf);
  return [...new Set([...needs.hosts, ...[...named, ...told].filter((host) => host !== undefined)])];
};
