import type { Agent } from "../agent.ts";

export const pi = {
  title: "pi",
  program: "pi",
  credentials: { variables: ["ANTHROPIC_API_KEY", "OPENAI_API_KEY"], files: [".pi/agent/auth.json"] },
  driver: () => import("./driver.ts").then((module) => module.piDriver),
  store: () => import("./store.ts").then((module) => module.piStore),
  sources: () => import("./paths.ts").then((module) => ({ files: module.listPiSources })),
} satisfies Agent;
