import { join } from "node:path";
import type { Agent } from "../agent.ts";

export const codex = {
  program: "codex",
  testedVersions: ["0.165.0", "0.169.0"],
  credentials: { variables: ["OPENAI_API_KEY", "CODEX_API_KEY"], files: [".codex/auth.json"] },
  sandbox: {
    hosts: ["api.openai.com", "auth.openai.com", "chatgpt.com"],
    variables: ["OPENAI_*", "CODEX_*"],
    places: ({ env, home }) => {
      const root = env["CODEX_HOME"] || join(home, ".codex");
      const commands = ["config.toml", "AGENTS.md", "AGENTS.override.md", "hooks.json", "hooks/", "rules/"];
      return {
        write: [root],
        protect: [...commands, "prompts/", "skills/", "plugins/"].map((name) => join(root, name)),
        open: [],
        copy: [],
        settings: [join(root, "config.toml")],
      };
    },
  },
  driver: () => import("./driver.ts").then((module) => module.codexDriver),
  store: () => import("./store.ts").then((module) => module.codexStore),
  sources: () => import("./paths.ts").then((module) => ({ files: module.listCodexSources })),
} satisfies Agent;
