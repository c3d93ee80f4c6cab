import { systemClock } from "../../../core/clock.ts";
import { workersHome } from "../../../core/paths.ts";
import { acceptWorker } from "../../../worker/loop/person-verdict.ts";
import { resolveName } from "../../../worker/state/resolve-name.ts";
import { defineCommand } from "../../command/define-command.ts";
import { verdictLines } from "./show-verdict.ts";

export const accept = defineCommand({
  description:
    "Your word over the last verdict: what no rule could decide, or what was refused, is complete. It is recorded with your name and the time, in the state and in a signed receipt.",
  args: [{ name: "name", description: "Name of the worker", complete: "worker" }],
  options: { reason: { type: "string", placeholder: "text", description: "Why; it goes into the receipt" } },
  examples: ['worker accept docs --reason "the test was wrong, the code is right"'],
  run: async ({ args, options }, { env, cwd, signal, reporter }) => {
    const home = workersHome(env);
    const name = resolveName({ home, cwd }, args.name);
    const ports = { env, clock: systemClock, home, signal, note: reporter.note };
    const verdict = await acceptWorker(ports, name, options.reason);
    reporter.answer({ name, ...verdict }, verdictLines(verdict));
  },
});
