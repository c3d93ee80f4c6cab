import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { startAgentProcess } from "../agent-process.ts";
import type { DriverSession, SessionRequest } from "../driver.ts";
import { createEventStream } from "../event-stream.ts";
import { endOfExit } from "../exit-reason.ts";
import { createNoteWaiter } from "../note-waiter.ts";
import { type ClaudeSignal, createClaudeTranslator } from "./translate.ts";

const STOP_FILE = "claude-stop";

const shellQuote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/**
 * Hooks that end the turn after a tool's result once the stop file is there. An interrupt would cut the next
 * tool short when the model answers fast; this does not. It is a file test and no more: it runs on every tool call.
 */
const stopHookSettings = (stopFile: string): string => {
  const answer = JSON.stringify({ continue: false, stopReason: "context limit" });
  const command = `if [ -e ${shellQuote(stopFile)} ]; then printf %s ${shellQuote(answer)}; fi`;
  const hook = [{ matcher: "*", hooks: [{ type: "command", command }] }];
  return JSON.stringify({ hooks: { PostToolUse: hook, PostToolUseFailure: hook } });
};

export const claudeArguments = (request: SessionRequest): string[] => {
  const model = request.model ?? request.settings.model;
  const permissions = request.settings["permissionMode"];
  return [
    ...(request.settings.args ?? []),
    "-p",
    "--input-format",
    "stream-json",
    "--output-format",
    "stream-json",
    "--verbose",
    "--include-partial-messages",
    ...(typeof permissions === "string"
      ? ["--permission-mode", permissions]
      : ["--dangerously-skip-permissions"]),
    "--settings",
    stopHookSettings(join(request.scratchDir, STOP_FILE)),
    ...(model === undefined ? [] : ["--model", model]),
    ...(request.resume === undefined ? [] : ["--resume", request.resume]),
  ];
};

/** A session with one Claude Code process; the closing note is asked for in the same process. */
export const startClaudeSession = (request: SessionRequest, command: string): DriverSession => {
  const stream = createEventStream();
  const notes = createNoteWaiter();
  const translate = createClaudeTranslator(request.settings.contextWindow);
  let isStopAsked = false;

  const act = (signal: ClaudeSignal) => {
    if (signal.type === "ready") {
      // Asked once: on a real endpoint each answer costs Claude Code some twenty token counts.
      control("get_context_usage");
    } else if (signal.type !== "turn-end") stream.push(signal);
    else if (stream.hasEnded()) {
      stream.noteSpending(signal);
      notes.answer(signal.text);
    } else {
      const { type: _, text, reason, ...details } = signal;
      if (text !== "") stream.setLastText(text);
      if (reason === "rate-limit") stream.push({ type: "rate-limit", message: signal.message ?? "" });
      stream.end(reason, details);
    }
  };
  const agent = startAgentProcess({
    command,
    args: claudeArguments(request),
    request,
    onLine: (line) => translate(line).forEach(act),
  });
  const write = (value: object) => agent.write(`${JSON.stringify(value)}\n`);
  const say = (text: string) => write({ type: "user", message: { role: "user", content: text } });
  const control = (subtype: string) =>
    write({ type: "control_request", request_id: `nightshift-${subtype}`, request: { subtype } });

  say(request.prompt);
  void agent.exited.then((exit) => {
    const message = "Claude Code left without a result";
    stream.end(...endOfExit(exit, { successIs: "error", message }));
    notes.close();
  });
  return {
    events: stream.events,
    child: agent.identity,
    spent: stream.spent,
    stopGently: async () => {
      if (isStopAsked) control("interrupt");
      isStopAsked = true;
      writeFileSync(join(request.scratchDir, STOP_FILE), "");
    },
    askForNote: ({ prompt, timeoutMs }) => {
      say(prompt);
      return notes.wait(timeoutMs);
    },
    end: (options) => agent.end({ ...options, isTurnOver: stream.hasEnded() }),
  };
};
