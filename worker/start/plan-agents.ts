import { isAbsolute, resolve } from "node:path";
import type { AgentSettings } from "../../agents/driver.ts";
import type { LoadedConfig } from "../../core/config/load-config.ts";

const absoluteScript = (settings: AgentSettings, root: string): AgentSettings => {
  const script = settings["script"];
  return typeof script === "string" && !isAbsolute(script)
    ? { ...settings, script: resolve(root, script) }
    : settings;
};

/** The agents that a config declares, with their scripts by absolute paths. */
export const planAgents = ({ config, root }: LoadedConfig): Record<string, AgentSettings> =>
  Object.fromEntries(
    Object.entries(config.agents ?? {}).map(([id, settings]) => [
      id,
      absoluteScript(settings as AgentSettings, root),
    ]),
  );
