import { isIP } from "node:net";
import { isPrivateAddress, plainAddress } from "./addresses.ts";
import { type AllowEntry, entryFor, isAllowed, type Target } from "./allow-list.ts";

export type NetworkMode = "allow-list" | "open" | "none";

/** What is answered before any name is looked up. */
export type Refusal = { reason: string; nextStep: string };

const toAllow = (...entries: string[]): string =>
  `allow it with sandbox: { network: { allow: [${entries.map((entry) => JSON.stringify(entry)).join(", ")}] } } in agent.config.ts`;

const OFF: Refusal = {
  reason: 'the network is off (network: "none")',
  nextStep: 'set sandbox: { network: { mode: "allow-list", allow: […] } } in agent.config.ts',
};

/**
 * Whether a target may be looked up at all. An address is let through only by its own entry: a name is what an
 * allow list is about, and whoever knows an address could pass every name by.
 */
export const refuseTarget = (
  target: Target,
  { mode, entries }: { mode: NetworkMode; entries: readonly AllowEntry[] },
): Refusal | undefined => {
  if (mode === "none") return OFF;
  if (isAllowed(entries, target)) return undefined;
  const isAddress = isIP(target.host) !== 0;
  if (mode === "open" && !(isAddress && isPrivateAddress(target.host))) return undefined;
  return {
    reason: isAddress ? "this address is not in network.allow" : "not in network.allow",
    nextStep: toAllow(entryFor(target)),
  };
};

/**
 * The addresses of a looked-up name that may be connected to: public ones, and those that have an entry of
 * their own for this port. A name that anybody can point at this machine's networks opens nothing in them.
 */
export const chooseAddresses = (
  target: Target,
  addresses: readonly string[],
  entries: readonly AllowEntry[],
): { addresses: string[] } | Refusal => {
  const plain = addresses.map(plainAddress);
  const isLocalName = target.host === "localhost";
  const good = plain.filter(
    (address) =>
      !isPrivateAddress(address) ||
      isAllowed(entries, { host: address, port: target.port }) ||
      (isLocalName && isAllowed(entries, target) && (address === "127.0.0.1" || address === "::1")),
  );
  if (good.length > 0) return { addresses: good };
  const [first = ""] = plain;
  return {
    reason: `it leads to ${first}, which is not a public address`,
    nextStep: toAllow(...new Set([entryFor(target), entryFor({ host: first, port: target.port })])),
  };
};
