import { domainToASCII } from "node:url";
import { isIP } from "node:net";
import { AppError } from "../../core/errors.ts";
import { plainAddress } from "./addresses.ts";

/** Where somebody wants to go: a name in ASCII and lower case, or a plain IP address. */
export type Target = { host: string; port: number };

/** One entry of the allow list; without a port it stands for 443 and 80. */
export type AllowEntry = { host: string; isWildcard: boolean; port: number | undefined };

const DEFAULT_PORTS: readonly number[] = [443, 80];
const LABEL = /^[a-z\d_](?:[a-z\d_-]{0,61}[a-z\d_])?$/;

/** A host as it is compared: IP addresses plain, names in ASCII and lower case without a final dot. */
export const readHost = (text: string): string | undefined => {
  const bare = text.replace(/^\[(.*)\]$/, "$1");
  if (isIP(bare) !== 0) return plainAddress(bare);
  const name = domainToASCII(bare.replace(/\.$/, "")).toLowerCase();
  const isName = name !== "" && name.length <= 253 && name.split(".").every((label) => LABEL.test(label));
  return isName ? name : undefined;
};

export const readPort = (text: string): number | undefined => {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  return port >= 1 && port <= 65_535 ? port : undefined;
};

const ENTRY = /^(\*\.)?(\[[^\]]+\]|[^:]+|[\da-fA-F:.]+)$/;
const ENTRY_WITH_PORT = /^(\*\.)?(\[[^\]]+\]|[^:]+):(\d+)$/;

/**
 * `host`, `*.host`, `host:port`, `127.0.0.1:port` or `[::1]:port` as an entry.
 * @throws AppError `config` for anything else
 */
export const readAllowEntry = (text: string): AllowEntry => {
  const found = ENTRY_WITH_PORT.exec(text.trim()) ?? ENTRY.exec(text.trim());
  const host = readHost(found?.[2] ?? "");
  const port = found?.[3] === undefined ? undefined : readPort(found[3]);
  const isFaulty = found?.[3] !== undefined && port === undefined;
  const isWildcard = found?.[1] !== undefined;
  if (host === undefined || isFaulty || (isWildcard && isIP(host) !== 0))
    throw new AppError(
      "config",
      `network.allow ${JSON.stringify(text)} is not a host; write "example.com", "*.example.com", "example.com:8443" or "127.0.0.1:4747" (no scheme, no path)`,
    );
  return { host, isWildcard, port };
};

/** Whether an entry lets a target through. `*.host` is every name below the host, and not the host itself. */
export const isAllowed = (entries: readonly AllowEntry[], { host, port }: Target): boolean =>
  entries.some(
    (entry) =>
      (entry.isWildcard ? host.endsWith(`.${entry.host}`) : host === entry.host) &&
      (entry.port === undefined ? DEFAULT_PORTS.includes(port) : port === entry.port),
  );

/** A target as an entry of the allow list says it. */
export const entryFor = ({ host, port }: Target): string => {
  const named = isIP(host) === 6 ? `[${host}]` : host;
  return DEFAULT_PORTS.includes(port) ? named : `${named}:${port}`;
};

/** The loopback ports that a list names: they are the host's, and the sandbox has a loopback of its own. */
export const listLoopbackTargets = (allow: readonly string[]): Target[] =>
  allow.map(readAllowEntry).flatMap(({ host, port, isWildcard }) => {
    const isLoopback = host === "localhost" || host === "::1" || host.startsWith("127.");
    return isLoopback && !isWildcard && port !== undefined ? [{ host, port }] : [];
  });

const PRIVILEGED_BELOW = 1024;

/** Those of the host's loopback ports that no sandbox can have: nobody in it may listen below 1024. */
export const listPrivilegedTargets = (allow: readonly string[]): string[] =>
  listLoopbackTargets(allow).flatMap(({ host, port }) =>
    port < PRIVILEGED_BELOW ? [`${host}:${port}`] : [],
  );
