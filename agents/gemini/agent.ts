import { join } from "node:path";
import { type Agent, placesIn } from "../agent.ts";

export const gemini = {
  program: "gemini",
  testedVersions: ["0.55.1", "0.61.0"],
  credentials: { variables: ["GEMINI_API_KEY", "GOOGLE_API_KEY"], files: [".gemini/oauth_creds.json"] },
  sandbox: {
    hosts: [
      "generativelanguage.googleapis.com",
      "cloudcode-pa.googleapis.com",
      "oauth2.googleapis.com",
      "aiplatform.googleapis.com",
    ],
    variables: ["GEMINI_*", "GOOGLE_*"],
    places: ({ env, home }) => {
      const files = ["settings.json", "trustedFolders.json", "GEMINI.md", ".env"];
      const folders = ["commands/", "extensions/", "skills/", "agents/", "hooks/", "policies/"];
      return placesIn(join(env["GEMINI_CLI_HOME"] || home, ".gemini"), {
        protect: [...files, ...folders],
        settings: "settings.json",
      });
    },
  },
  driver: () => import("./driver.ts").then((module) => module.geminiDriver),
  store: () => import("./store.ts").then((module) => module.geminiStore),
  sources: () => import("./paths.ts").then((module) => ({ files: module.listGeminiSources })),
} satisfies Agent;
