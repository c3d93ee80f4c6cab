import type { Agent } from "../agent.ts";

export const claude = {
  title: "Claude Code",
  program: "claude",
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
  driver: () => import("./driver.ts").then((module) => module.claudeDriver),
  store: () => import("./store.ts").then((module) => module.claudeStore),
  sources: () => import("./paths.ts").then((module) => ({ files: module.listClaudeSources })),
} satisfies Agent;
