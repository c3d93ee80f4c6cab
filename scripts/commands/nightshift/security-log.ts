import { withoutUndefined } from "../../../core/without-undefined.ts";
import { AppError } from "../../../core/errors.ts";
import { plural } from "../../../core/plural.ts";
import { visibleText } from "../../../core/visible-text.ts";
import { clockText } from "../../../core/people-time.ts";
import { defineCommand } from "../../command/define-command.ts";
import { openServer, SERVER_OPTIONS } from "./server-options.ts";

type Line = Readonly<Record<string, string | number>> & { number: number; at: string };

const textOf = (
  { at, event, outcome, principal, address, request, status, subject, again }: Line,
  nowMs: number,
): string =>
  visibleText(
    [
      clockText(at, nowMs),
      event,
      outcome,
      request,
      status,
      principal,
      address,
      subject,
      again === undefined ? undefined : `and ${again} more times`,
    ]
      .filter((part) => part !== undefined)
      .join("  "),
  );

export const securityLog = defineCommand({
  description:
    "Needs a token that may do everything. With --json the lines are as the server keeps them, each with the digest of the one before. --verify says whether any was changed, removed, added or moved: exit 1 when one was. It names the newest line, to be noted on another machine: --seen with it says later whether the log still has that very line, also where somebody wrote everything again.",
  options: {
    last: {
      type: "integer",
      minimum: 1,
      default: 50,
      placeholder: "lines",
      description: "How many of the newest lines",
    },
    verify: { type: "boolean", description: "Only say whether the log is as it was written" },
    seen: {
      type: "string",
      placeholder: "number:digest",
      description: "With --verify: a newest line that was noted before",
    },
    ...SERVER_OPTIONS,
  },
  json: "lines",
  examples: ["nightshift security-log --last 20", "nightshift security-log --verify"],
  run: async ({ options }, io) => {
    if (options.seen !== undefined && !options.verify)
      throw new AppError("usage", `--seen ${options.seen} is compared by --verify; add it`);
    const { repeating } = await openServer(options, io);
    if (options.verify) {
      const query = withoutUndefined({ seen: options.seen });
      const verdict = await repeating.call((client) => client.api["security-log"].verify.get({ query }));
      const whole = `whole: ${plural(verdict.lines, "line")}, the newest is ${verdict.newest ?? "none"}`;
      io.reporter.answer(verdict, verdict.ok ? whole : (verdict.fault ?? "broken"));
      return verdict.ok;
    }
    const text = await (await repeating.open(`/api/security-log?last=${options.last}`)).text();
    for (const json of text.split("\n").filter((line) => line !== "")) {
      const line = JSON.parse(json) as Line;
      io.reporter.answer(line, textOf(line, Date.now()));
    }
  },
});
