import { modelOf, option, permissionModeOf } from "../arguments.ts";
import { systemClock } from "../../core/clock.ts";
import type { Driver, DriverSession, SessionRequest } from "../driver.ts";
import { startTurnSession } from "../turn-session.ts";
import { createAgyReader } from "./reader.ts";

const PROGRAM = "agy";

/** After this long it would end a turn by itself and call that a success; without it, after 5 minutes. */
const PRINT_TIMEOUT = "720h";

const INTERRUPT_GRACE_MS = 5_000;

/** No `-p`: it takes its prompt as an argument, and `--input-format stream-json` reads it from stdin. */
export const agyArguments = (request: SessionRequest, resume = request.resume): string[] => {
  const mode = permissionModeOf(request);
  return [
    ...(request.settings.args ?? []),
    ...option("--input-format", "stream-json"),
    ...option("--output-format", "stream-json"),
    ...option("--print-timeout", PRINT_TIMEOUT),
    // Without it the work may be done in a scratch folder of its own.
    ...option("--add-dir", request.dir),
    ...(mode === undefined ? ["--dangerously-skip-permissions"] : option("--mode", mode)),
    ...option("--model", modelOf(request)),
    ...option("--conversation", resume),
  ];
};

/** A session with Antigravity CLI: one process a turn, its prompt as one line on stdin. */
const startSession = (request: SessionRequest): DriverSession =>
  startTurnSession(request, {
    command: request.settings.command ?? PROGRAM,
    commandLine: ({ prompt, resume }) => ({
      args: agyArguments(request, resume),
      stdin: `${JSON.stringify({ event: "user", message: { role: "user", content: prompt } })}\n`,
    }),
    createReader: (_, emit) => createAgyReader(request, emit, systemClock.now),
    // It ends the turn with a result that says so, and keeps the conversation.
    interrupt: (process) => process.signal("SIGINT"),
    interruptGraceMs: INTERRUPT_GRACE_MS,
  });

/** Antigravity CLI, the successor of Gemini CLI: headless with JSON lines both ways, by its documentation. */
export const agyDriver: Driver = {
  id: "agy",
  title: "Antigravity CLI",
  capabilities: {
    liveContext: "live",
    windowSource: "the model's name where it is given; else `contextWindow` in the config",
    gentleStop: "SIGINT once the running tool calls have ended",
    closingNote: "resumed conversation",
    resume: true,
    cost: "estimated",
    rateLimitReset: true,
    exitMeaning: "0 says nothing (a tool that was denied gives 0, too); the `result` line counts",
  },
  describe: (request) => ({ command: request.settings.command ?? PROGRAM, args: agyArguments(request) }),
  start: async (request) => startSession(request),
};
