import type { Agent } from "../agent.ts";
import { NO_PLACES } from "../sandbox-needs.ts";

export const command = {
  program: undefined,
  testedVersions: undefined,
  credentials: undefined,
  sandbox: { hosts: [], variables: [], places: () => NO_PLACES },
  driver: () => import("./driver.ts").then((module) => module.commandDriver),
  store: undefined,
  sources: undefined,
} satisfies Agent;
