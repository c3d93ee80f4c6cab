import type { Program } from "../command/define-command.ts";

export const steerer: Program = {
  name: "steerer",
  summary: "Look after workers without using tokens: restart crashed ones, end orphans, rescue work",
  load: async () => (await import("../commands/steerer/steerer.ts")).steererCommand,
};
