import type { Agent } from "../agent.ts";

export const opencode = {
  title: "opencode",
  program: "opencode",
  credentials: {
    variables: ["ANTHROPIC_API_KEY", "OPENAI_API_KEY"],
    files: [".local/share/opencode/auth.json"],
  },
  driver: () => import("./driver.ts").then((module) => module.opencodeDriver),
  store: () => import("./store.ts").then((module) => module.opencodeStore),
  sources: () =>
    import("./paths.ts").then((module) => ({
      files: module.listOpencodeSources,
      databases: module.listOpencodeDatabases,
    })),
} satisfies Agent;
