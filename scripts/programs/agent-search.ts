import type { Program } from "../command/define-command.ts";

export const agentSearch: Program = {
  name: "agent-search",
  summary: "Find past conversations that mention a pattern",
  load: async () => (await import("../commands/agent-search/agent-search.ts")).agentSearch,
};
