import { AppError } from "../../../core/errors.ts";
import { nearestName } from "../../../core/nearest-name.ts";
import { countStates, listRows, toJob } from "../../../queue/rows.ts";
import { JOB_STATES } from "../../../queue/job.ts";
import { defineCommand } from "../../command/define-command.ts";
import { fit, listing } from "../../command/table.ts";
import { agoText } from "../../../core/people-time.ts";
import { withQueue } from "./open-queue.ts";
import { noteText, sessionsOf, stateText, taskView } from "./show-task.ts";

const readStates = (texts: readonly string[]): readonly string[] => {
  const states = texts.flatMap((text) => text.split(","));
  for (const state of states)
    if (!JOB_STATES.some((known) => known === state)) {
      const near = nearestName(state, JOB_STATES);
      throw new AppError(
        "usage",
        `no state ${state}; ${near ? `did you mean ${near}?` : JOB_STATES.join(", ")}`,
      );
    }
  return states.length === 0 ? JOB_STATES : states;
};

export const queueList = defineCommand({
  options: {
    state: {
      type: "string",
      repeatable: true,
      placeholder: "state",
      description: `Only these: ${JOB_STATES.join(", ")}; several with commas`,
    },
    limit: {
      type: "integer",
      short: "n",
      minimum: 1,
      maximum: 10_000,
      default: 50,
      placeholder: "tasks",
      description: "How many to show: running and waiting tasks first, then the last ones that ended",
    },
  },
  examples: ["nightshift queue list", "nightshift queue list --state failed,blocked --json"],
  run: async ({ options }, io) => {
    const { reporter } = io;
    const states = readStates(options.state);
    const { tasks, counts } = await withQueue(io, async ({ db }) => ({
      tasks: (await listRows(db, { states, limit: options.limit })).map(toJob),
      counts: await countStates(db),
    }));
    reporter.json({ tasks: tasks.map(taskView), counts });
    const { style } = reporter;
    const now = Date.now();
    const nameWidth = Math.max(8, Math.floor(reporter.columns / 7));
    const head = ["ID", "STATE", "WORKER", "HOST", "SESSIONS", "SINCE", "WHAT"];
    const rows = tasks.map((task) => [
      String(task.id),
      stateText(task.state, style),
      fit(task.worker, nameWidth),
      fit(task.runHost ?? task.host ?? "-", nameWidth),
      sessionsOf(task),
      agoText(task.endedAt ?? task.startedAt ?? task.addedAt, now),
      noteText(task),
    ]);
    for (const line of listing(reporter, head, rows, [4, 3, 5])) reporter.text(line);
    const total = Object.entries(counts).map(([state, count]) => `${count} ${state}`);
    reporter.text(
      total.length === 0
        ? "the queue is empty; fill it with: nightshift queue add"
        : style.dim(total.join(", ")),
    );
  },
});
