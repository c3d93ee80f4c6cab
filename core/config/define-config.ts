import type { AgentConfig } from "./agent-config.ts";

/** Gives `agent.config.ts` its types; returns what it is given. The config is validated when it is loaded. */
export const defineConfig = (config: AgentConfig): AgentConfig => config;
