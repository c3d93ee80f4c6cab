import { systemClock } from "../../../core/clock.ts";
import { EXIT } from "../../../core/exit-codes.ts";
import { workersHome } from "../../../core/paths.ts";
import { workerFiles } from "../../../worker/state/worker-files.ts";
import { getNamedWorker } from "../../../worker/state/resolve-name.ts";
import { defineCommand } from "../../command/define-command.ts";
import { clockText } from "../../command/people-time.ts";
import { fit } from "../../command/reporter.ts";
import { followFile } from "./follow-file.ts";

/** One line of the events file; what is no JSON (cut by a full disk) is undefined. */
const parse = (line: string): Record<string, unknown> | undefined => {
  try {
    return JSON.parse(line) as Record<string, unknown>;
  } catch {
    return undefined;
  }
};

const valueText = (value: unknown): string =>
  (typeof value === "string" ? value : JSON.stringify(value)).replaceAll(/\s+/g, " ");

export const events = defineCommand({
  args: [{ name: "name", description: "Name of the worker", complete: "worker" }],
  options: {
    follow: { type: "boolean", short: "f", description: "Go on until the worker ends or Ctrl-C" },
    lines: {
      type: "integer",
      short: "n",
      minimum: 0,
      default: 50,
      placeholder: "lines",
      description: "How many of the last events",
    },
  },
  json: "lines",
  examples: ["worker events docs -f", "worker events docs --json | jq 'select(.type == \"gates\")'"],
  run: async ({ args, options }, { env, cwd, reporter, signal }) => {
    const home = workersHome(env);
    const worker = getNamedWorker({ home, cwd }, args.name);
    const show = (line: string) => {
      const event = parse(line);
      if (!event) return;
      const { at, type, ...rest } = event;
      const facts = Object.entries(rest).map(([key, value]) => `${key}=${valueText(value)}`);
      const text = `${clockText(String(at), Date.now())}  ${String(type)}  ${facts.join("  ")}`;
      reporter.answer(event, fit(text.trimEnd(), reporter.columns));
    };
    await followFile(
      { clock: systemClock, signal, home },
      { name: worker.name, path: workerFiles(home, worker.name).events, ...options },
      show,
    );
    return EXIT.yes;
  },
});
