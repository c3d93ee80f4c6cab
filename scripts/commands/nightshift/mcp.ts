import { defineCommand } from "../../command/define-command.ts";

/** What an agent may do beside reading, each only when it was allowed. */
const ALLOWED = ["learn", "steer", "publish"] as const;

export const mcp = defineCommand({
  description:
    "For agents that start their tools as programs: the Model Context Protocol of 2026-07-28 and of the years before, over standard input and output. Every tool is one of the commands, with its rules and your rights. Without --allow the tools only read.",
  options: {
    allow: {
      type: "string",
      choices: ALLOWED,
      repeatable: true,
      description: "also learn (memory), steer (start and stop workers) or publish (sites)",
    },
  },
  json: "none",
  examples: ["nightshift mcp", "nightshift mcp --allow learn --allow steer"],
  run: async ({ options }, { env, cwd, signal }) => {
    const { serveMcp } = await import("../../mcp/serve-mcp.ts");
    await serveMcp({ env, cwd, signal, allowed: new Set(options.allow) });
  },
});
