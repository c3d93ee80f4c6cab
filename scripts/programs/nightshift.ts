import type { Program } from "../command/define-command.ts";

export const nightshift: Program = {
  name: "nightshift",
  summary: "Runs coding agents unattended: projects, gates, tasks, server, publishing.",
  commands: {
    demo: {
      summary: "Watch a worker do its job, from a red gate to a verified end",
      load: async () => (await import("../commands/nightshift/demo.ts")).demo,
    },
    completion: {
      summary: "Print the completion script of a shell",
      load: async () => (await import("../commands/nightshift/completion.ts")).completion,
    },
  },
};
