import { redactSecrets } from "../../../core/redaction.ts";
import { listEvents } from "../../../queue/events.ts";
import { getRow, toJob } from "../../../queue/rows.ts";
import type { Job } from "../../../queue/job.ts";
import { instructionTitle } from "../../../worker/state/instruction-title.ts";
import { defineCommand } from "../../command/define-command.ts";
import { table } from "../../command/table.ts";
import { details } from "../../command/wrap-words.ts";
import { agoText, clockText } from "../../../core/people-time.ts";
import { withQueue } from "./open-queue.ts";
import { costOf, eventView, placeText, sessionsOf, stateText, taskView } from "./show-task.ts";

const when = (time: number | undefined): string | undefined =>
  time === undefined ? undefined : agoText(time, Date.now());

const detailsOf = (task: Job): [string, string | undefined][] => {
  const rows: [string, string | undefined][] = [
    ["task", instructionTitle(task.task, 400)],
    ["worker", task.worker],
    ["where", placeText(task)],
    ["priority", String(task.priority)],
    ["after", task.after.length === 0 ? undefined : task.after.join(", ")],
    ["why", task.reason],
    ["phase", task.phase],
    ["verdict", task.verdict],
    ["run", task.runName === undefined ? undefined : `${task.runName} on ${task.runHost ?? "?"}`],
    ["sessions", task.progress ? sessionsOf(task) : undefined],
    ["cost", task.progress ? costOf(task) : undefined],
    ["broken off", task.attempts === 0 ? undefined : `${task.attempts} of at most ${task.maxAttempts} times`],
    ["branch", task.branch],
    ["commit", task.head],
    ["uncommitted", task.state === "complete" ? undefined : task.rescue],
    ["added", when(task.addedAt)],
    ["begun", when(task.startedAt)],
    ["ended", when(task.endedAt)],
  ];
  return rows.map(([name, value]) => [name, value && redactSecrets(value)]);
};

export const queueShow = defineCommand({
  args: [
    { name: "id", type: "integer", minimum: 1, description: "Its number, as nightshift queue list shows it" },
  ],
  options: { handoff: { type: "boolean", description: "Print the whole last handoff" } },
  examples: ["nightshift queue show 12", "nightshift queue show 12 --handoff"],
  run: async ({ args, options }, io) => {
    const { reporter } = io;
    const { task, events } = await withQueue(io, async ({ db }) => ({
      task: toJob(await getRow(db, args.id)),
      events: await listEvents(db, args.id),
    }));
    const lines = options.handoff
      ? [task.handoff ?? `task ${task.id} has left no handoff yet`]
      : [
          `${reporter.style.bold(`task ${task.id}`)}  ${stateText(task.state, reporter.style)}`,
          ...details(detailsOf(task), reporter),
          "",
          ...table(
            events.map(({ at, kind, token, host, text }) => [
              `  ${clockText(at, Date.now())}`,
              kind,
              token === undefined ? "" : `run ${token}`,
              [host, text].filter((part) => part !== undefined).join(": "),
            ]),
            reporter.columns,
          ),
        ];
    reporter.answer({ ...taskView(task), events: events.map(eventView) }, lines);
  },
});
