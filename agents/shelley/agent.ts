import type { Agent } from "../agent.ts";

export const shelley = {
  program: "shelley",
  testedVersions: undefined,
  credentials: {
    variables: ["ANTHROPIC_API_KEY", "FIREWORKS_API_KEY"],
    files: [".config/shelley/shelley.json"],
  },
  sandbox: undefined,
  driver: () => import("./driver.ts").then((module) => module.shelleyDriver),
  store: () => import("./store.ts").then((module) => module.shelleyStore),
  sources: () => import("./paths.ts").then((module) => ({ databases: module.listShelleyDatabases })),
} satisfies Agent;
