import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createAgentSession } from "../agent-session.ts";
import { modelOf, option, permissionModeOf } from "../arguments.ts";
import type { Driver, DriverSession, SessionRequest } from "../driver.ts";
import { type ClaudeSignal, createClaudeTranslator } from "./translate.ts";

const PROGRAM = "claude";
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
  const permissions = permissionModeOf(request);
  return [
    ...(request.settings.args ?? []),
    "-p",
    ...option("--input-format", "stream-json"),
    ...option("--output-format", "stream-json"),
    "--verbose",
    "--include-partial-messages",
    ...(permissions === undefined
      ? ["--dangerously-skip-permissions"]
      : option("--permission-mode", permissions)),
    ...option("--settings", stopHookSettings(join(request.scratchDir, STOP_FILE))),
    ...option("--model", modelOf(request)),
    ...option("--max-budget-usd", request.budgetUsd),
    ...option("--resume", request.resume),
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

/** What to do about the refusal that a first run meets. */
const explain = (message: string): string =>
  message.includes("root/sudo privileges")
    ? `${message}; where this is a sandbox, set agents.claude.env.IS_SANDBOX to "1", or choose agents.claude.permissionMode`
    : message;

/** A session with one Claude Code process; the closing note is asked for in the same process. */
const startSession = (request: SessionRequest): DriverSession => {
  const translate = createClaudeTranslator(request.settings);
  const stopFile = join(request.scratchDir, STOP_FILE);
  const write = (value: object) => agent.write(`${JSON.stringify(value)}\n`);
  const say = (text: string) => write({ type: "user", message: { role: "user", content: text } });
  const control = (subtype: string) =>
    write({ type: "control_request", request_id: `nightshift-${subtype}`, request: { subtype } });

  const session = createAgentSession({
    prompt: (text) => {
      // The note's own tool calls (a last `git status`) must not be stopped.
      rmSync(stopFile, { force: true });
      say(text);
    },
    interrupt: () => control("interrupt"),
    onIdle: () => undefined, // the hook stops it
  });
  const act = (signal: ClaudeSignal) => {
    if (signal.type !== "requesting") session.take(signal);
    // The turn goes on although it was stopped: hooks are switched off here, or unknown to this version.
    else if (session.isIdle()) control("interrupt");
  };
  const agent = session.start({
    command: request.settings.command ?? PROGRAM,
    args: claudeArguments(request),
    request: { ...request, env: { ...ONE_TURN, ...request.env } },
    onLine: (line) => translate(line).forEach(act),
    leaving: { message: "Claude Code left without a result", explain },
  });

  say(request.prompt);
  // For the window. Asked once: on a real endpoint each answer costs Claude Code some twenty token counts.
  control("get_context_usage");
  const driverSession = session.toDriverSession(agent);
  return {
    ...driverSession,
    // Where no file can be made the running tool is cut short: better than a turn that goes on.
    stopGently: ({ mayCutTool = false } = {}) =>
      driverSession.stopGently({ mayCutTool: !makeFile(stopFile) || mayCutTool }),
  };
};

/** Claude Code, headless: `claude -p` with JSON lines in and out. */
export const claudeDriver: Driver = {
  id: "claude",
  title: "Claude Code",
  capabilities: {
    liveContext: "live",
    windowSource: "asked from Claude Code (`get_context_usage`), once a session",
    gentleStop:
      "a hook ends the turn after the tool call that is running or being written, which is never cut short",
    closingNote: "same process",
    resume: true,
    cost: "reported",
    rateLimitReset: true,
    exitMeaning: "0 says nothing (SIGINT gives 0 too); a `result` line with `is_error: false` is success",
  },
  describe: (request) => ({
    command: request.settings.command ?? PROGRAM,
    args: claudeArguments(request),
  }),
  start: async (request) => startSession(request),
};
