import { join } from "node:path";
import { type Agent, placesIn } from "../agent.ts";

export const claude = {
  program: "claude",
  testedVersions: ["2.1.197", "2.1.332"],
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
      const files = ["settings.json", "settings.local.json", "CLAUDE.md"];
      const folders = ["commands/", "agents/", "skills/", "plugins/", "hooks/", "output-styles/"];
      return {
        ...placesIn(told || join(home, ".claude"), {
          protect: [...files, ...folders],
          settings: "settings.json",
        }),
        copy: [join(told || home, ".claude.json")], // servers that it starts are in it
      };
    },
  },
  driver: () => import("./driver.ts").then((module) => module.claudeDriver),
  store: () => import("./store.ts").then((module) => module.claudeStore),
  sources: () => import("./paths.ts").then((module) => ({ files: module.listClaudeSources })),
} satisfies Agent;
