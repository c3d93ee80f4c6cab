import { join } from "node:path";
import { expandHome } from "../../core/paths.ts";
import { type Agent, placesIn } from "../agent.ts";

export const pi = {
  program: "pi",
  testedVersions: ["0.73.1", "1.3.0"],
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
      const files = ["settings.json", "models.json", "mcp.json", "trust.json", "AGENTS.md", "SYSTEM.md"];
      const folders = ["extensions/", "skills/", "prompts/", "themes/", "tools/", "hooks/", "bin/"];
      const places = placesIn(root, { protect: [...files, ...folders], settings: "models.json" });
      return sessions ? { ...places, write: [root, expandHome(sessions, { HOME: home })] } : places;
    },
  },
  driver: () => import("./driver.ts").then((module) => module.piDriver),
  store: () => import("./store.ts").then((module) => module.piStore),
  sources: () => import("./paths.ts").then((module) => ({ files: module.listPiSources })),
} satisfies Agent;
