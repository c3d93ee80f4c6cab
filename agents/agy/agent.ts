import { join } from "node:path";
import { type Agent, placesIn } from "../agent.ts";

export const agy = {
  program: "agy",
  // The program is on no registry: nothing of it was tried.
  testedVersions: undefined,
  // It keeps its log-in in the system's keyring.
  credentials: { variables: [], files: [] },
  sandbox: {
    hosts: ["cloudcode-pa.googleapis.com", "oauth2.googleapis.com"],
    variables: ["AGY_*", "ANTIGRAVITY_*", "GOOGLE_*"],
    places: ({ home }) => {
      const files = ["settings.json", "mcp_config.json", "hooks.json"];
      return placesIn(join(home, ".gemini/antigravity-cli"), {
        protect: [...files, "plugins/", "skills/", "agents/", "rules/"],
        settings: "settings.json",
      });
    },
  },
  driver: () => import("./driver.ts").then((module) => module.agyDriver),
  // Its conversations are databases of binary records whose format is not published.
  store: undefined,
  sources: undefined,
} satisfies Agent;
