import { join } from "node:path";
import { expandHome } from "../../core/paths.ts";
import type { Agent } from "../agent.ts";

export const pi = {
  program: "pi",
  testedVersions: ["0.73.1", "0.87.1"],
  credentials: { variables: ["ANTHROPIC_API_KEY", "OPENAI_API_KEY"], files: [".pi/agent/auth.json"] },
  sandbox: {
    hosts: [
      "api.anthropic.com",
      "api.openai.com",
      "chatgpt.com",
      "generativelanguage.googleapis.com",
      "openrouter.ai",
    ],
    variables: ["PI_*", "ANTHROPIC_*", "OPENAI_*", "GEMINI_*", "GOOGLE_*", "OPENROUTER_*"],
    places: ({ env, home }) => {
      const root = expandHome(env["PI_CODING_AGENT_DIR"] || join(home, ".pi", "agent"), { HOME: home });
      const sessions = env["PI_CODING_AGENT_SESSION_DIR"];
      const commands = ["settings.json", "models.json", "extensions/", "skills/", "prompts/", "themes/"];
      return {
        write: [root, ...(sessions ? [expandHome(sessions, { HOME: home })] : [])],
        protect: [...commands, "tools/", "hooks/", "bin/", "AGENTS.md", "SYSTEM.md"].map((name) =>
          join(root, name),
        ),
        open: [],
        copy: [],
        settings: [join(root, "models.json")],
      };
    },
  },
  driver: () => import("./driver.ts").then((module) => module.piDriver),
  store: () => import("./store.ts").then((module) => module.piStore),
  sources: () => import("./paths.ts").then((module) => ({ files: module.listPiSources })),
} satisfies Agent;
