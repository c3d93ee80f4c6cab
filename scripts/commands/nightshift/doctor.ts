import { findProjectRoot } from "../../../core/config/find-config.ts";
import type { Check } from "../../init/check.ts";
import { examine } from "../../init/doctor.ts";
import { defineCommand } from "../../command/define-command.ts";
import type { Reporter } from "../../command/reporter.ts";
import { displayWidth } from "../../command/table.ts";
import type { Style } from "../../command/style.ts";
import { hang } from "../../command/wrap-words.ts";

const word = ({ status }: Check, style: Style): string => {
  if (status === "ok") return style.green("ok  ");
  return status === "warn" ? style.yellow("warn") : style.red("FAIL");
};

/** A fix is often a command to copy, so it is moved to the left where it does not fit, and never broken. */
const fixLine = (fix: string, { left, reporter }: { left: number; reporter: Reporter }): string => {
  const line = `fix: ${fix}`;
  const indent = Math.max(6, Math.min(left, reporter.columns - displayWidth(line)));
  return " ".repeat(indent) + reporter.style.dim(line);
};

export const doctor = defineCommand({
  description:
    "Looks at the runtime, the agents and their credentials (present or not, never their content), the config, gates and tasks, the server, key files, locks, crashed workers and orphans, disk and clock. Changes nothing. Exit code 1 when something is broken.",
  examples: ["nightshift doctor", "nightshift doctor --json | jq '.[] | select(.status != \"ok\")'"],
  run: async (_, { env, cwd, reporter }) => {
    const checks = await examine({ env, cwd, now: Date.now }, findProjectRoot(cwd));
    const width = Math.max(...checks.map(({ area }) => area.length));
    reporter.answer(
      checks,
      checks.flatMap((check) => [
        ...hang(
          `${word(check, reporter.style)}  ${check.area.padEnd(width)}  `,
          check.message,
          reporter.columns,
        ),
        ...(check.fix === undefined ? [] : [fixLine(check.fix, { left: width + 8, reporter })]),
      ]),
    );
    return checks.every(({ status }) => status !== "fail");
  },
});
