import type { Agent } from "../agent.ts";

export const gemini = {
  title: "Gemini CLI",
  program: "gemini",
  credentials: { variables: ["GEMINI_API_KEY", "GOOGLE_API_KEY"], files: [".gemini/oauth_creds.json"] },
  driver: () => import("./driver.ts").then((module) => module.geminiDriver),
  store: () => import("./store.ts").then((module) => module.geminiStore),
  sources: () => import("./paths.ts").then((module) => ({ files: module.listGeminiSources })),
} satisfies Agent;
