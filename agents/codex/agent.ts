import type { Agent } from "../agent.ts";

export const codex = {
  title: "Codex CLI",
  program: "codex",
  credentials: { variables: ["OPENAI_API_KEY", "CODEX_API_KEY"], files: [".codex/auth.json"] },
  driver: () => import("./driver.ts").then((module) => module.codexDriver),
  store: () => import("./store.ts").then((module) => module.codexStore),
  sources: () => import("./paths.ts").then((module) => ({ files: module.listCodexSources })),
} satisfies Agent;
