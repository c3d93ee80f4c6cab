import type { Agent } from "../agent.ts";
import { NO_PLACES } from "../sandbox-needs.ts";

export const acp = {
  program: undefined,
  testedVersions: undefined,
  credentials: undefined,
  // Which agent it is, only the config knows: its places and hosts are named there, in `sandbox`.
  sandbox: { hosts: [], variables: [], places: () => NO_PLACES },
  driver: () => import("./driver.ts").then((module) => module.acpDriver),
  store: undefined,
  sources: undefined,
} satisfies Agent;
