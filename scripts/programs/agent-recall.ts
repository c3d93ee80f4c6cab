import type { Program } from "../command/define-command.ts";

export const agentRecall: Program = {
  name: "agent-recall",
  summary: "Notes and excerpts of earlier sessions about a text, ready for a prompt",
  load: async () => (await import("../commands/agent-recall/agent-recall.ts")).agentRecall,
};
