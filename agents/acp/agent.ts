import type { Agent } from "../agent.ts";

export const acp = {
  program: undefined,
  testedVersions: undefined,
  credentials: undefined,
  sandbox: undefined, // that of any agent: which one it is, only the config knows
  driver: () => import("./driver.ts").then((module) => module.acpDriver),
  store: undefined,
  sources: undefined,
} satisfies Agent;
