import { escapeData, escapeProperty } from "../../../gates/report/machine.ts";
import { secondsText } from "../../../core/people-time.ts";
import type { TaskEvent } from "../../../runner/run-tasks.ts";
import type { CommandIo } from "../../command/define-command.ts";
import type { Reporter } from "../../command/reporter.ts";

export type TaskPrinter = {
  onEvent: (event: TaskEvent) => void;
  renderer: "default" | "silent";
  /** when the pipeline has ended */
  finish: () => void;
};

type Shown = { plan: readonly { name: string }[]; last: string | undefined; isVerbose: boolean };

/** Of one task's output; what somebody wants whole goes through a pipe or `--verbose`. */
const KEPT_LINES = 1_000;

const endLine = (event: TaskEvent & { event: "end" }): string => {
  if (event.status === "fresh") return `${event.task}: nothing changed`;
  if (event.status === "stopped") return `${event.task}: stopped, ${event.reason}`;
  return `${event.task}: ${event.status} (${secondsText(event.durationMs)})`;
};

/** Every line as it comes, with the name of its task where there are several. */
const printLines =
  (reporter: Reporter, isNamed: boolean): TaskPrinter["onEvent"] =>
  (event) => {
    if (event.event === "line") reporter.verbatim(isNamed ? `${event.task} | ${event.line}` : event.line);
    else reporter.text(event.event === "start" ? `${event.task}: ${event.title}` : endLine(event));
  };

/** Tasks run side by side, so a group is printed whole when its task has ended. */
const printGroups = (reporter: Reporter): TaskPrinter["onEvent"] => {
  const kept = new Map<string, string[]>();
  return (event) => {
    if (event.event === "start") kept.set(event.task, []);
    else if (event.event === "line") kept.get(event.task)?.push(event.line);
    else {
      for (const line of [`::group::${event.task}`, ...(kept.get(event.task) ?? []), "::endgroup::"])
        reporter.text(line);
      reporter.text(endLine(event));
      if (event.status === "failed")
        reporter.text(`::error title=${escapeProperty(`task ${event.task}`)}::${escapeData(event.problem)}`);
    }
  };
};

/** listr2 draws the pipeline; what the task that was asked for had to say stands below it. */
const drawPipeline = (reporter: Reporter, last: string | undefined): TaskPrinter => {
  let lines: string[] = [];
  let count = 0;
  return {
    renderer: "default",
    onEvent: (event) => {
      if (event.task !== last) return;
      if (event.event === "end" && event.status !== "done") lines = []; // a failure is told apart
      if (event.event !== "line") return;
      lines.push(event.line);
      count += 1;
      if (lines.length > 2 * KEPT_LINES) lines = lines.slice(-KEPT_LINES);
    },
    finish: () => {
      const shown = lines.slice(-KEPT_LINES);
      if (shown.length > 0 && count > shown.length)
        reporter.text(`… ${count - shown.length} lines before; --verbose shows all`);
      for (const line of shown) reporter.text(line);
    },
  };
};

/** A terminal sees the pipeline, or with one task or `--verbose` the lines; a pipe lines; GitHub groups of them. */
export const createPrinter = (
  reporter: Reporter,
  env: CommandIo["env"],
  { plan, last, isVerbose }: Shown,
): TaskPrinter => {
  const silent = { renderer: "silent" as const, finish: () => {} };
  if (reporter.isJson) return { ...silent, onEvent: (event) => reporter.json(event) };
  if (reporter.canRedraw && plan.length > 1 && !isVerbose) return drawPipeline(reporter, last);
  if (!reporter.canRedraw && env["GITHUB_ACTIONS"] === "true")
    return { ...silent, onEvent: printGroups(reporter) };
  return { ...silent, onEvent: printLines(reporter, plan.length > 1 || !reporter.canRedraw) };
};
