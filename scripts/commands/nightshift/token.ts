import { withoutUndefined } from "../../../core/without-undefined.ts";
import type { TokenAction } from "../../../server/auth/token.ts";
import { inPath } from "../../../client/server-client.ts";
import { AppError } from "../../../core/errors.ts";
import { defineCommand } from "../../command/define-command.ts";
import { agoText, clockText } from "../../../core/people-time.ts";
import { listing } from "../../command/table.ts";
import { openServer, SERVER_OPTIONS } from "./server-options.ts";

const UNITS: Record<string, number> = { m: 60, h: 3600, d: 86_400, w: 604_800, y: 31_536_000 };

/** Seconds of `30d`, `12h`, `90m`, `2w`, `1y`. @throws AppError `usage` */
export const readDuration = (text: string): number => {
  const match = /^(\d{1,6})([mhdwy])$/.exec(text);
  const seconds = Number(match?.[1]) * (UNITS[match?.[2] ?? ""] ?? Number.NaN);
  if (Number.isNaN(seconds) || seconds === 0)
    throw new AppError("usage", `"${text}" is not a time; write it as 90m, 12h, 30d, 2w or 1y`);
  return seconds;
};

export const tokenCreate = defineCommand({
  description:
    "A token may do what --can says, on one site or on all. One that may only upload cannot put anything live: a person does that.",
  options: {
    site: {
      type: "string",
      placeholder: "name",
      complete: "site",
      description: "The only site it is for (default: every site)",
    },
    can: {
      type: "string",
      placeholder: "actions",
      default: "upload,activate",
      description: "upload, activate, delete, watch, steer, admin; several with commas",
    },
    expires: {
      type: "string",
      placeholder: "time",
      description: "When it ends: 12h, 30d, 1y (default: never; with admin after 90 days)",
    },
    label: { type: "string", placeholder: "text", description: "What it is called in lists" },
    ...SERVER_OPTIONS,
  },
  examples: ["nightshift token create --site docs --can upload,activate --expires 30d"],
  run: async ({ options }, io) => {
    const { once } = await openServer(options, io);
    const { site, label, expires } = options;
    const body = {
      // What is none, the server names with those there are.
      actions: options.can.split(",").map((action) => action.trim() as TokenAction),
      ...withoutUndefined({ site, label }),
      ...(expires === undefined ? {} : { expiresInSeconds: readDuration(expires) }),
    };
    const made = await once.call((client) => client.api.tokens.post(body));
    io.reporter.answer(made, made.token);
    const scope = `${made.actions.join(", ")} on ${made.site ?? "every site"}`;
    if (!io.reporter.isJson)
      io.reporter.note(
        `${made.id}: may ${scope}, ${made.expiresAt ? `until ${clockText(made.expiresAt, Date.now())}` : "without end"}`,
      );
  },
});

export const tokenList = defineCommand({
  options: SERVER_OPTIONS,
  examples: ["nightshift token list"],
  run: async ({ options }, io) => {
    const { repeating } = await openServer(options, io);
    const { tokens } = await repeating.call((client) => client.api.tokens.get());
    const now = Date.now();
    const rows = tokens.map(({ id, label, site, actions, expiresAt, lastUsedAt }) => [
      id,
      site ?? "every site",
      actions.join(","),
      expiresAt === undefined ? "never" : clockText(expiresAt, now),
      lastUsedAt === undefined ? "never" : agoText(lastUsedAt, now),
      label,
    ]);
    const head = ["ID", "SITE", "CAN", "ENDS", "LAST USED", "LABEL"];
    io.reporter.answer(tokens, listing(io.reporter, head, rows, [4, 2, 3]));
  },
});

export const tokenRevoke = defineCommand({
  args: [{ name: "id", description: "its id, as nightshift token list shows it" }],
  options: SERVER_OPTIONS,
  examples: ["nightshift token revoke 3f9a2c11"],
  run: async ({ args, options }, io) => {
    const { once } = await openServer(options, io);
    const done = await once.call((client) => client.api.tokens({ id: inPath(args.id) }).delete());
    io.reporter.answer(done, `revoked ${done.id}`);
  },
});
