import type { AgentSettings } from "../agents/driver.ts";
import { AppError } from "../core/errors.ts";
import type { Environment } from "../core/paths.ts";
import { needsOf } from "./agent-needs.ts";
import { findBubblewrap } from "./find-bubblewrap.ts";
import { findSeatbelt } from "./seatbelt.ts";
import type { SandboxMode } from "./settings.ts";

/** What holds the sessions of a worker; `reason` says why nothing does. */
export type ChosenSandbox =
  | { kind: "bubblewrap"; program: string }
  | { kind: "seatbelt"; program: string }
  | { kind: "none"; reason: string };

/**
 * What the mode comes to on this machine, tried for real.
 * @throws AppError `unavailable` where bubblewrap was asked for and does not work
 */
export const chooseSandbox = (
  mode: SandboxMode,
  {
    env,
    agent,
    agentSettings,
  }: { env: Environment; agent: string | undefined; agentSettings: AgentSettings },
): ChosenSandbox => {
  if (mode === "none") return { kind: "none", reason: "switched off" };
  if (agent !== undefined && needsOf(agent, agentSettings) === undefined)
    return refuse(mode, `${agent} works in a server that runs already, outside of any sandbox of ours`);
  const bubblewrap = findBubblewrap(env);
  if ("program" in bubblewrap) return { kind: "bubblewrap", program: bubblewrap.program };
  const seatbelt = mode === "auto" ? findSeatbelt() : undefined;
  return seatbelt ? { kind: "seatbelt", program: seatbelt } : refuse(mode, bubblewrap.problem);
};

const refuse = (mode: SandboxMode, reason: string): ChosenSandbox => {
  if (mode === "bubblewrap") throw new AppError("unavailable", `no sandbox: ${reason}`);
  return { kind: "none", reason };
};
