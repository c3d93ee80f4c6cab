import { plural } from "../../../core/plural.ts";
import { systemClock } from "../../../core/clock.ts";
import { runDemo } from "../../demo/run-demo.ts";
import type { StoryLine } from "../../demo/narrate.ts";
import { workerFiles } from "../../../worker/state/worker-files.ts";
import { defineCommand } from "../../command/define-command.ts";
import { fit } from "../../command/table.ts";
import type { Style } from "../../command/style.ts";

const paint = ({ tone, text }: StoryLine, style: Style, columns: number): string => {
  if (tone === "heading") return `\n${style.bold(text)}`;
  const line = `  ${fit(text, columns - 2)}`;
  if (tone === "good") return style.green(line);
  if (tone === "bad") return style.yellow(line);
  return tone === "detail" ? style.dim(line) : line;
};

export const demo = defineCommand({
  description:
    "Makes a repository with a failing check in a temporary folder, starts the server and a worker on it, and tells what happens. The bundled scripted agent plays a script and asks no model; --agent takes a real one that is installed.",
  options: {
    agent: {
      type: "string",
      placeholder: "id",
      complete: "agent",
      default: "scripted",
      description: "Agent that does the work",
    },
  },
  examples: ["nightshift demo", "nightshift demo --agent claude"],
  run: async ({ options }, { env, reporter, signal }) => {
    const { style, columns } = reporter;
    reporter.text(`${style.bold("Nightshift demo")}: one worker, from a red gate to a verified end\n`);
    const { worker, folder, repository, home } = await runDemo(
      { clock: systemClock, env, signal, tell: (line) => reporter.text(paint(line, style, columns)) },
      { agent: options.agent },
    );
    const files = workerFiles(home, worker.name);
    const isComplete = worker.shown === "complete";
    const color = isComplete ? style.green : style.yellow;
    reporter.answer({ ...worker, repository, log: files.log, state: files.state, handoffs: files.handoffs }, [
      "",
      `${style.bold(color(worker.shown))}: ${worker.stopReason ?? ""} (${plural(worker.session, "session")}${worker.isScripted ? ", scripted agent" : ""})`,
      `  state     ${files.state}`,
      `  log       ${files.log}`,
      `  handoffs  ${files.handoffs}`,
      `  work      git -C ${repository} log --oneline`,
      `Nothing is left running. To clean up: rm -r ${folder}`,
    ]);
    return isComplete;
  },
});
