import { type AgentProcess, startAgentProcess } from "./agent-process.ts";
import { orAfter, systemClock } from "../core/clock.ts";
import type { AgentEndReason, AgentEvent, DriverSession, SessionRequest } from "./driver.ts";
import { createEventStream } from "./event-stream.ts";
import { endOfExit } from "./exit-reason.ts";
import { addSpending } from "./spending.ts";

type TurnEnd = {
  type: "turn-end";
  reason: AgentEndReason;
  /** the last message, where it is more than the last `text` */
  text?: string;
  message?: string;
};

/** What a line of an agent's output means: an event, or that its turn is over. */
export type TurnSignal = Exclude<AgentEvent, { type: "ended" }> | TurnEnd;

export type Turn = { prompt: string; resume: string | undefined };

/** Reads one process's output. `close` is called after its last line. */
export type TurnReader = { onLine: (line: string) => void; close?: () => void };

/** An agent that runs one process a turn and goes on in a conversation with another process. */
export type TurnAgent = {
  command: string;
  commandLine: (turn: Turn) => { args: string[]; stdin?: string; env?: Record<string, string> };
  createReader: (turn: Turn, emit: (signal: TurnSignal) => void) => TurnReader;
  /** asks the process to leave when no tool call is running, as `process.signal("SIGINT")` does */
  interrupt: (process: AgentProcess) => void;
  /** an agent that has not left this long after it was asked is ended */
  interruptGraceMs: number;
};

const LEAVE_MS = 5_000;

/** Runs the session's turn in one process, and its closing note in a second one that resumes the conversation. */
export const startTurnSession = (request: SessionRequest, agent: TurnAgent): DriverSession => {
  const stream = createEventStream();
  const openTools = new Set<string>();
  const processes: AgentProcess[] = [];
  let conversationId = request.resume;
  let isStopAsked = false;
  let isInterrupted = false;

  const run = (turn: Turn, emit: (signal: TurnSignal) => void): AgentProcess => {
    const { args, stdin, env } = agent.commandLine(turn);
    const reader = agent.createReader(turn, emit);
    const process = startAgentProcess({
      command: agent.command,
      args,
      request: { ...request, env: { ...request.env, ...env } },
      onLine: reader.onLine,
      onOutput: stream.noteActivity,
      onExit: () => reader.close?.(),
    });
    processes.push(process);
    if (stdin !== undefined) process.write(stdin);
    process.closeStdin();
    return process;
  };

  const interrupt = () => {
    const [process] = processes;
    if (!process || isInterrupted || stream.hasEnded()) return;
    isInterrupted = true;
    agent.interrupt(process);
    void orAfter(systemClock, process.exited, agent.interruptGraceMs).then(() => process.end());
  };

  let turnEnd: TurnEnd | undefined;
  const act = (signal: TurnSignal) => {
    if (signal.type === "turn-end") {
      turnEnd = signal;
      // An agent that is done and does not leave must not keep its session open.
      void orAfter(systemClock, main.exited, LEAVE_MS).then(() => main.end());
      return;
    }
    if (signal.type === "started") conversationId = signal.conversationId;
    if (signal.type === "tool-start") openTools.add(signal.id);
    if (signal.type === "tool-end") openTools.delete(signal.id);
    stream.push(signal);
    if (isStopAsked && signal.type === "tool-end" && openTools.size === 0) interrupt();
  };
  const main = run({ prompt: request.prompt, resume: request.resume }, act);

  void main.exited.then((exit) => {
    const exitDetails = exit.exitCode === undefined ? {} : { exitCode: exit.exitCode };
    if (turnEnd && !exit.startError) {
      const { reason, message, text } = turnEnd;
      if (text !== undefined) stream.setLastText(text);
      stream.end(reason, { ...exitDetails, ...(message === undefined ? {} : { message }) });
    } else {
      const message = "the agent left before its turn ended";
      stream.end(...endOfExit(exit, { successIs: "error", message, wasStopped: isInterrupted }));
    }
  });

  const askForNote = async ({ prompt, timeoutMs }: { prompt: string; timeoutMs: number }) => {
    await main.exited;
    if (conversationId === undefined) return undefined;
    const before = stream.spent();
    let text: string | undefined;
    let hasFailed = false;
    const note = run({ prompt, resume: conversationId }, (signal) => {
      if (signal.type === "text") text = signal.text;
      if (signal.type === "turn-end") {
        hasFailed = signal.reason !== "completed";
        text = signal.text ?? text;
      }
      if (signal.type === "usage") stream.noteSpending(addSpending(before, signal));
    });
    const exit = await orAfter(systemClock, note.exited, timeoutMs);
    await note.end();
    return exit && !hasFailed ? text : undefined;
  };

  return {
    events: stream.events,
    child: main.identity,
    spent: stream.spent,
    stopGently: async ({ mayCutTool = false } = {}) => {
      isStopAsked = true;
      if (mayCutTool || openTools.size === 0) interrupt();
    },
    askForNote,
    end: async (options) => {
      for (const process of processes) await process.end({ ...options, isTurnOver: stream.hasEnded() });
    },
  };
};
