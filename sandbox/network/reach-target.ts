import type { Socket } from "node:net";
import { orAfter, systemClock } from "../../core/clock.ts";
import { errorText } from "../../core/errors.ts";
import type { AllowEntry, Target } from "./allow-list.ts";
import { chooseAddresses, type NetworkMode, type Refusal, refuseTarget } from "./decide-target.ts";
import type { NetworkLimits } from "./limits.ts";

export type ReachPorts = {
  /** every address of a name */
  lookup: (host: string) => Promise<string[]>;
  /** begins a connection to an address */
  connect: (address: { host: string; port: number }) => Socket;
};

export type Reached =
  | { kind: "open"; socket: Socket }
  | ({ kind: "refused" } & Refusal)
  | { kind: "failed"; reason: string };

const MAX_ADDRESSES = 4;

/**
 * A connection to a target that the rules let through. The name is looked up once, after it was allowed, and the
 * very address that was checked is the one connected to: a second answer of the name's server changes nothing.
 */
export const reachTarget = async (
  { lookup, connect }: ReachPorts,
  target: Target,
  rules: { mode: NetworkMode; entries: readonly AllowEntry[]; limits: NetworkLimits },
): Promise<Reached> => {
  const refusal = refuseTarget(target, rules);
  if (refusal) return { kind: "refused", ...refusal };
  const looked = await orAfter(
    systemClock,
    lookup(target.host).catch(() => []),
    rules.limits.lookupMs,
  );
  if (looked === undefined || looked.length === 0)
    return { kind: "failed", reason: `no address was found for ${target.host}` };
  const chosen = chooseAddresses(target, looked, rules.entries);
  if ("reason" in chosen) return { kind: "refused", ...chosen };
  let reason = "";
  for (const host of chosen.addresses.slice(0, MAX_ADDRESSES)) {
    const socket = connect({ host, port: target.port });
    const problem = await whenConnected(socket, rules.limits.connectMs);
    if (problem === undefined) return { kind: "open", socket };
    reason = `${host} port ${target.port}: ${problem}`;
  }
  return { kind: "failed", reason };
};

/** Undefined once it is connected, else what is wrong. */
const whenConnected = (socket: Socket, limitMs: number): Promise<string | undefined> =>
  new Promise((resolve) => {
    const timer = setTimeout(() => end(`no answer within ${limitMs} ms`), limitMs);
    const end = (problem?: string): void => {
      clearTimeout(timer);
      if (problem !== undefined) socket.destroy();
      resolve(problem);
    };
    socket.once("connect", () => end());
    socket.once("error", (error) => end(errorText(error)));
  });
