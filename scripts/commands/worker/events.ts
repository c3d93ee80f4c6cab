import { defineCommand } from "../../command/define-command.ts";
import { clockText } from "../../../core/people-time.ts";
import { fit } from "../../command/table.ts";
import { FOLLOWED_NAME, followOptions, followWorker, parseEvent } from "./follow-worker.ts";

const valueText = (value: unknown): string =>
  (typeof value === "string" ? value : JSON.stringify(value)).replaceAll(/\s+/g, " ");

export const events = defineCommand({
  args: FOLLOWED_NAME,
  options: followOptions("events"),
  json: "lines",
  examples: ["worker events docs -f", "worker events docs --json | jq 'select(.type == \"gates\")'"],
  run: async ({ args, options }, io) => {
    const { reporter } = io;
    await followWorker(io, { name: args.name, file: "events", ...options }, (line) => {
      const event = parseEvent(line);
      const { at, type, ...rest } = event;
      const facts = Object.entries(rest).map(([key, value]) => `${key}=${valueText(value)}`);
      const when = typeof at === "string" ? `${clockText(at, Date.now())}  ` : "";
      reporter.answer(event, fit(`${when}${String(type)}  ${facts.join("  ")}`.trimEnd(), reporter.columns));
    });
  },
});
