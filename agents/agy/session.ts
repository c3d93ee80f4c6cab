import { systemClock } from "../../core/clock.ts";
import type { DriverSession, SessionRequest } from "../driver.ts";
import { startTurnSession } from "../turn-session.ts";
import { createAgyReader } from "./reader.ts";

/** After this long it would end a turn by itself and call that a success; without it, after 5 minutes. */
const PRINT_TIMEOUT = "720h";

const INTERRUPT_GRACE_MS = 5_000;

/** No `-p`: it takes its prompt as an argument, and `--input-format stream-json` reads it from stdin. */
export const agyArguments = (request: SessionRequest, resume = request.resume): string[] => {
  const model = request.model ?? request.settings.model;
  const mode = request.settings["permissionMode"];
  return [
    ...(request.settings.args ?? []),
    "--input-format",
    "stream-json",
    "--output-format",
    "stream-json",
    "--print-timeout",
    PRINT_TIMEOUT,
    // Without it the work may be done in a scratch folder of its own.
    "--add-dir",
    request.dir,
    ...(typeof mode === "string" ? ["--mode", mode] : ["--dangerously-skip-permissions"]),
    ...(model === undefined ? [] : ["--model", model]),
    ...(resume === undefined ? [] : ["--conversation", resume]),
  ];
};

/** A session with Antigravity CLI: one process a turn, its prompt as one line on stdin. */
export const startAgySession = (request: SessionRequest, command: string): DriverSession =>
  startTurnSession(request, {
    command,
    commandLine: ({ prompt, resume }) => ({
      args: agyArguments(request, resume),
      stdin: `${JSON.stringify({ event: "user", message: { role: "user", content: prompt } })}\n`,
    }),
    createReader: (_, emit) => createAgyReader(request, emit, systemClock.now),
    // It ends the turn with a result that says so, and keeps the conversation.
    interrupt: (process) => process.signal("SIGINT"),
    interruptGraceMs: INTERRUPT_GRACE_MS,
  });
