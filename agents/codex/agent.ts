import { join } from "node:path";
import { type Agent, placesIn } from "../agent.ts";

export const codex = {
  program: "codex",
  testedVersions: ["0.165.0", "0.169.0"],
  credentials: { variables: ["OPENAI_API_KEY", "CODEX_API_KEY"], files: [".codex/auth.json"] },
  sandbox: {
    hosts: ["api.openai.com", "auth.openai.com", "chatgpt.com"],
    variables: ["OPENAI_*", "CODEX_*"],
    places: ({ env, home }) => {
      const files = ["config.toml", "AGENTS.md", "AGENTS.override.md", "hooks.json"];
      const folders = ["hooks/", "rules/", "prompts/", "skills/", "plugins/"];
      return placesIn(env["CODEX_HOME"] || join(home, ".codex"), {
        protect: [...files, ...folders],
        settings: "config.toml",
      });
    },
  },
  driver: () => import("./driver.ts").then((module) => module.codexDriver),
  store: () => import("./store.ts").then((module) => module.codexStore),
  sources: () => import("./paths.ts").then((module) => ({ files: module.listCodexSources })),
} satisfies Agent;
