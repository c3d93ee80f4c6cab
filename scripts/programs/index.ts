import type { Program } from "../command/define-command.ts";
import type { ProgramName } from "../command/program-names.ts";
import { agentRecall } from "./agent-recall.ts";
import { agentSearch } from "./agent-search.ts";
import { ctx } from "./ctx.ts";
import { nightshift } from "./nightshift.ts";
import { steerer } from "./steerer.ts";
import { worker } from "./worker.ts";

const BY_NAME = {
  worker,
  steerer,
  ctx,
  "agent-search": agentSearch,
  "agent-recall": agentRecall,
  nightshift,
} satisfies Record<ProgramName, Program>;

/** Every program of the package: completion and docs/commands.md are made from this list. */
export const PROGRAMS: readonly Program[] = Object.values(BY_NAME);
