import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startAgentProcess } from "../agent-process.ts";
import type { DriverSession, SessionRequest } from "../driver.ts";
import { createEventStream } from "../event-stream.ts";
import { endOfExit } from "../exit-reason.ts";
import { createNoteWaiter } from "../note-waiter.ts";
import { type ClaudeSignal, createClaudeTranslator } from "./translate.ts";

const STOP_FILE = "claude-stop";

/**
 * A session is one turn. What goes on beside it or begins by itself after it would be cut off with it, or begin a turn
 * that nobody asked for: its result would pass for the closing note, and its calls would cost money after a stop.
 */
const ONE_TURN = {
  CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: "1", // of tools and of sub-agents
  CLAUDE_CODE_DISABLE_CRON: "1",
  CLAUDE_CODE_DISABLE_WORKFLOWS: "1",
};

const shellQuote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/**
 * A hook that ends the turn after the running tool calls once the stop file is there. An interrupt would cut the
 * next tool short when the model answers fast; this does not. It is a file test and no more: it runs on every call.
 * PostToolBatch and not PostToolUse, which is passed over when a tool fails (2.1.197).
 */
const stopHookSettings = (stopFile: string): string => {
  const answer = JSON.stringify({ continue: false, stopReason: "context limit" });
  const command = `if [ -e ${shellQuote(stopFile)} ]; then printf %s ${shellQuote(answer)}; fi`;
  const hook = [{ matcher: "*", hooks: [{ type: "command", command }] }];
  return JSON.stringify({ hooks: { PostToolBatch: hook } });
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
    ...(request.budgetUsd === undefined ? [] : ["--max-budget-usd", String(request.budgetUsd)]),
    ...(request.resume === undefined ? [] : ["--resume", request.resume]),
  ];
};

const makeFile = (path: string): boolean => {
  try {
    writeFileSync(path, "");
    return true;
  } catch {
    return false;
  }
};

/** What to do about the refusals that a first run meets. */
const addHint = (message: string | undefined): { message?: string } => {
  if (message === undefined) return {};
  if (!message.includes("root/sudo privileges")) return { message };
  return {
    message: `${message}; where this is a sandbox, set agents.claude.env.IS_SANDBOX to "1", or choose agents.claude.permissionMode`,
  };
};

/** A session with one Claude Code process; the closing note is asked for in the same process. */
export const startClaudeSession = (request: SessionRequest, command: string): DriverSession => {
  const stream = createEventStream();
  const notes = createNoteWaiter();
  const translate = createClaudeTranslator(request.settings);

  const stopFile = join(request.scratchDir, STOP_FILE);
  const openTools = new Set<string>();
  let isStopAsked = false;

  const act = (signal: ClaudeSignal) => {
    if (signal.type === "tool-start") openTools.add(signal.id);
    if (signal.type === "tool-end") openTools.delete(signal.id);
    if (signal.type === "requesting") {
      // The turn goes on although it was stopped: hooks are switched off here, or unknown to this version.
      if (isStopAsked && openTools.size === 0 && !stream.hasEnded()) control("interrupt");
    } else if (signal.type !== "turn-end") stream.push(signal);
    else if (stream.hasEnded()) {
      stream.noteSpending(signal);
      if (signal.text !== "") notes.answer(signal.text);
      else if (signal.reason !== "interrupted") notes.close(); // it failed, and nothing more will come
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
    request: { ...request, env: { ...ONE_TURN, ...request.env } },
    onLine: (line) => translate(line).forEach(act),
    onOutput: stream.noteActivity,
  });
  const write = (value: object) => agent.write(`${JSON.stringify(value)}\n`);
  const say = (text: string) => write({ type: "user", message: { role: "user", content: text } });
  const control = (subtype: string) =>
    write({ type: "control_request", request_id: `nightshift-${subtype}`, request: { subtype } });

  say(request.prompt);
  // For the window. Asked once: on a real endpoint each answer costs Claude Code some twenty token counts.
  control("get_context_usage");
  void agent.exited.then((exit) => {
    const [reason, details] = endOfExit(exit, {
      successIs: "error",
      message: "Claude Code left without a result",
    });
    stream.end(reason, { ...details, ...addHint(details.message) });
    notes.close();
  });
  return {
    events: stream.events,
    child: agent.identity,
    spent: stream.spent,
    stopGently: async ({ mayCutTool = false } = {}) => {
      isStopAsked = true;
      // Where no file can be made the running tool is cut short: better than a turn that goes on.
      const isHookTold = makeFile(stopFile);
      if (mayCutTool || !isHookTold) control("interrupt");
    },
    askForNote: ({ prompt, timeoutMs }) => {
      // The note's own tool calls (a last `git status`) must not be stopped.
      isStopAsked = false;
      rmSync(stopFile, { force: true });
      say(prompt);
      return notes.wait(timeoutMs);
    },
    end: (options) => agent.end({ ...options, isTurnOver: stream.hasEnded() }),
  };
};
