import { join } from "node:path";
import { type Agent, NO_PLACES } from "../agent.ts";

export const opencode = {
  program: "opencode",
  testedVersions: ["1.18.18", "1.18.33"],
  credentials: {
    variables: ["ANTHROPIC_API_KEY", "OPENAI_API_KEY"],
    files: [".local/share/opencode/auth.json"],
  },
  sandbox: {
    isServer: true,
    hosts: [
      "api.anthropic.com",
      "api.openai.com",
      "generativelanguage.googleapis.com",
      "openrouter.ai",
      "opencode.ai",
      "models.dev",
    ],
    variables: ["OPENCODE_*", "ANTHROPIC_*", "OPENAI_*", "GEMINI_*", "GOOGLE_*", "OPENROUTER_*"],
    places: ({ env, home }) => {
      const below = (variable: string, ...usual: string[]) =>
        join(env[variable] || join(home, ...usual), "opencode");
      const config = below("XDG_CONFIG_HOME", ".config");
      return {
        ...NO_PLACES,
        write: [
          below("XDG_DATA_HOME", ".local", "share"),
          below("XDG_STATE_HOME", ".local", "state"),
          below("XDG_CACHE_HOME", ".cache"),
        ],
        open: [config],
        settings: ["opencode.json", "opencode.jsonc", "config.json"].map((name) => join(config, name)),
      };
    },
  },
  driver: () => import("./driver.ts").then((module) => module.opencodeDriver),
  store: () => import("./store.ts").then((module) => module.opencodeStore),
  sources: () =>
    import("./paths.ts").then((module) => ({
      files: module.listOpencodeSources,
      databases: module.listOpencodeDatabases,
    })),
} satisfies Agent;
