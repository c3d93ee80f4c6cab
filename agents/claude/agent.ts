import { join } from "node:path";
import type { Agent } from "../agent.ts";

export const claude = {
  program: "claude",
  testedVersions: ["2.1.197", "2.1.331"],
  credentials: {
    variables: [
      "ANTHROPIC_API_KEY",
      "ANTHROPIC_AUTH_TOKEN",
      "CLAUDE_CODE_OAUTH_TOKEN",
      "CLAUDE_CODE_USE_BEDROCK",
      "CLAUDE_CODE_USE_VERTEX",
    ],
    files: [".claude/.credentials.json"],
  },
  sandbox: {
    hosts: ["api.anthropic.com", "console.anthropic.com", "platform.claude.com", "claude.ai"],
    variables: ["ANTHROPIC_*", "CLAUDE_*", "IS_SANDBOX", "DISABLE_*", "AWS_REGION", "CLOUD_ML_REGION"],
    places: ({ env, home }) => {
      const told = env["CLAUDE_CONFIG_DIR"];
      const root = told || join(home, ".claude");
      const commands = [
        "settings.json",
        "settings.local.json",
        "CLAUDE.md",
        "commands/",
        "agents/",
        "skills/",
      ];
      return {
        write: [root],
        protect: [...commands, "plugins/", "hooks/", "output-styles/"].map((name) => join(root, name)),
        open: [],
        copy: [join(told || home, ".claude.json")], // servers that it starts are in it
        settings: [join(root, "settings.json")],
      };
    },
  },
  driver: () => import("./driver.ts").then((module) => module.claudeDriver),
  store: () => import("./store.ts").then((module) => module.claudeStore),
  sources: () => import("./paths.ts").then((module) => ({ files: module.listClaudeSources })),
} satisfies Agent;
