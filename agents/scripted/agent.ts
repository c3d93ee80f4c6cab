import type { Agent } from "../agent.ts";

export const scripted = {
  title: "Scripted agent (plays a script, no model)",
  program: undefined,
  credentials: undefined,
  driver: () => import("./driver.ts").then((module) => module.scriptedDriver),
  store: undefined,
  sources: undefined,
} satisfies Agent;
