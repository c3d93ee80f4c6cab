import type { Program } from "../command/define-command.ts";

export const nightshift: Program = {
  name: "nightshift",
  summary: "Runs coding agents unattended: projects, gates, tasks, server, publishing.",
  commands: {
    completion: {
      summary: "Print the completion script of a shell",
      load: async () => (await import("../commands/nightshift/completion.ts")).completion,
    },
  },
};
