import { execFile } from "node:child_process";
import { AppError } from "../../core/errors.ts";
import type { Driver, SessionRequest } from "../driver.ts";
import { readAppServerArguments } from "./app-server/arguments.ts";
import { startAppServerSession } from "./app-server/session.ts";
import { codexArguments, startCodexSession } from "./session.ts";

const PROGRAM = "codex";
const HELP_MS = 10_000;

/** Whether this version has `app-server`; an older one does not know the word. */
const hasAppServer = (command: string, { env, dir }: SessionRequest): Promise<boolean> =>
  new Promise((resolve) => {
    execFile(command, ["app-server", "--help"], { env, cwd: dir, timeout: HELP_MS }, (error) =>
      resolve(error === null),
    );
  });

/**
 * How the server is started; undefined where `exec` is wanted, or arguments are given that only it obeys.
 * @throws AppError `config` where the server is asked for with such arguments
 */
const asServer = ({ settings }: SessionRequest) => {
  if (settings["protocol"] === "exec") return undefined;
  const server = readAppServerArguments(settings.args);
  if (!server && settings["protocol"] === "app-server")
    throw new AppError(
      "config",
      `codex app-server takes only -c, --enable and --disable, not ${(settings.args ?? []).join(" ")}; leave them out, or set agents.codex.protocol to "exec"`,
    );
  return server;
};

/** Codex CLI: a thread of its `app-server`, or `codex exec --json` watched through the rollout file it keeps. */
export const codexDriver: Driver = {
  id: "codex",
  title: "Codex CLI",
  capabilities: {
    liveContext: "live",
    windowSource:
      "`modelContextWindow` of the thread's usage (`exec`: `model_context_window` in its rollout file)",
    gentleStop: "`turn/interrupt` (`exec`: SIGINT) once the running tool calls have ended",
    closingNote: "same process",
    resume: true,
    cost: "estimated",
    rateLimitReset: true,
    exitMeaning:
      "says nothing (it is a server); the status of its turn counts (`exec`: 0 is a completed turn)",
  },
  describe: (request) => ({
    command: request.settings.command ?? PROGRAM,
    args: asServer(request)?.args ?? codexArguments(request),
  }),
  start: async (request) => {
    const { command = PROGRAM } = request.settings;
    const server = asServer(request);
    return server && (await hasAppServer(command, request))
      ? startAppServerSession(request, { command, ...server })
      : startCodexSession(request, command);
  },
};
