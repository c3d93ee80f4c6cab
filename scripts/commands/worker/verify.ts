import { systemClock } from "../../../core/clock.ts";
import { EXIT } from "../../../core/exit-codes.ts";
import { workersHome } from "../../../core/paths.ts";
import { verifyWorker } from "../../../worker/loop/person-verdict.ts";
import { resolveName } from "../../../worker/state/resolve-name.ts";
import { defineCommand } from "../../command/define-command.ts";
import { verdictLines } from "./show-verdict.ts";

export const verify = defineCommand({
  description:
    "Judges the commit that the worker left by the rules that were sealed at its start, writes a receipt, and changes its status where the verdict does. Exit 0: complete. See docs/verdict.md.",
  args: [{ name: "name", description: "Name of the worker", complete: "worker" }],
  options: {},
  json: "document",
  examples: ["worker verify docs"],
  run: async ({ args }, { env, cwd, signal, reporter }) => {
    const home = workersHome(env);
    const name = resolveName({ home, cwd }, args.name);
    const verdict = await verifyWorker({ env, clock: systemClock, home, signal, note: reporter.note }, name);
    reporter.answer({ name, ...verdict }, verdictLines(verdict));
    return verdict.word === "complete" ? EXIT.yes : EXIT.no;
  },
});
