import type { Program } from "../command/define-command.ts";
import { agentRecall } from "./agent-recall.ts";
import { agentSearch } from "./agent-search.ts";
import { ctx } from "./ctx.ts";
import { nightshift } from "./nightshift.ts";
import { steerer } from "./steerer.ts";
import { worker } from "./worker.ts";

/** Every program of the package: completion and docs/commands.md are made from this list. */
export const PROGRAMS: readonly Program[] = [worker, steerer, ctx, agentSearch, agentRecall, nightshift];
