import type { Program } from "../command/define-command.ts";

export const steerer: Program = {
  name: "steerer",
  summary: "Looks after workers: restarts crashed ones, ends orphans, rescues work, tells the memory.",
  commands: {},
  main: async () => (await import("../commands/steerer/steerer.ts")).steererCommand,
};
