import type { Program } from "../command/define-command.ts";

export const agentRecall: Program = {
  name: "agent-recall",
  summary: "Handoff notes and excerpts from earlier sessions, ready for a prompt",
  load: async () => (await import("../commands/agent-recall/agent-recall.ts")).agentRecall,
};
