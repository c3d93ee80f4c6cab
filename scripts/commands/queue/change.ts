import { cancelJob, retryJob } from "../../../queue/change-job.ts";
import { defineCommand } from "../../command/define-command.ts";
import { withQueue } from "./open-queue.ts";
import { taskView } from "./show-task.ts";

const ID = {
  name: "id",
  type: "integer",
  minimum: 1,
  description: "Its number, as nightshift queue list shows it",
} as const;

export const queueCancel = defineCommand({
  description: "A running one gives its handoff first, unless --now. What comes after it is blocked.",
  args: [ID],
  options: { now: { type: "boolean", description: "End a running one at once, without a handoff" } },
  examples: ["nightshift queue cancel 12", "nightshift queue cancel 12 --now"],
  run: async ({ args, options }, io) => {
    const task = await withQueue(io, (queue) => cancelJob(queue, args.id, { isNow: options.now }));
    io.reporter.answer(
      taskView(task),
      task.state === "cancelled"
        ? `task ${task.id} is cancelled`
        : `task ${task.id} runs on ${task.runHost ?? "?"}; it is asked to stop`,
    );
  },
});

export const queueRetry = defineCommand({
  description:
    "It goes on from its last handoff, on any host; what was blocked behind it waits for it again.",
  args: [ID],
  options: { fresh: { type: "boolean", description: "Start over, without the work of its earlier runs" } },
  examples: ["nightshift queue retry 12", "nightshift queue retry 12 --fresh"],
  run: async ({ args, options }, io) => {
    const task = await withQueue(io, (queue) => retryJob(queue, args.id, { isFresh: options.fresh }));
    io.reporter.answer(
      taskView(task),
      `task ${task.id} is ${task.state} again${task.reason === undefined ? "" : `: ${task.reason}`}`,
    );
  },
});
