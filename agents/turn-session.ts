import { type AgentProcess, startAgentProcess } from "./agent-process.ts";
import { createAgentSession } from "./agent-session.ts";
import { orAfter, systemClock } from "../core/clock.ts";
import { withoutUndefined } from "../core/without-undefined.ts";
import type { DriverSession, SessionRequest } from "./driver.ts";
import { endOfExit } from "./exit-reason.ts";
import type { TurnEnd, TurnSignal } from "./event-stream.ts";
import { addSpending } from "./spending.ts";

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
  const processes: AgentProcess[] = [];
  let conversationId = request.resume;
  let isInterrupted = false;

  const session = createAgentSession({
    prompt: async (prompt) => {
      await main.exited;
      if (conversationId === undefined) throw new Error("the agent began no conversation");
      run({ prompt, resume: conversationId });
    },
    interrupt: () => {
      if (isInterrupted) return;
      isInterrupted = true;
      agent.interrupt(main);
      void orAfter(systemClock, main.exited, agent.interruptGraceMs).then(() => main.end());
    },
  });

  const run = (turn: Turn): AgentProcess => {
    const { args, stdin, env } = agent.commandLine(turn);
    const spentBefore = session.spent();
    let turnEnd: TurnEnd | undefined;
    const reader = agent.createReader(turn, (signal) => {
      if (signal.type === "turn-end") {
        turnEnd = signal;
        // An agent that is done and does not leave must not keep its session open.
        void orAfter(systemClock, process.exited, LEAVE_MS).then(() => process.end());
        return;
      }
      if (signal.type === "started") conversationId = signal.conversationId;
      if (signal.type !== "usage") return session.take(signal);
      session.take({ ...signal, ...addSpending(spentBefore, withoutUndefined(signal)) });
    });
    const process = startAgentProcess({
      command: agent.command,
      args,
      request: { ...request, env: { ...request.env, ...env } },
      onLine: reader.onLine,
      onOutput: session.noteActivity,
      onExit: () => reader.close?.(),
    });
    processes.push(process);
    if (stdin !== undefined) process.write(stdin);
    process.closeStdin();
    void process.exited.then((exit) => {
      const message = "the agent left before its turn ended";
      if (turnEnd && !exit.startError) session.take({ ...turnEnd, exitCode: exit.exitCode });
      // The note is another process's, which is still to come when the session's has left.
      else if (session.hasEnded()) session.giveNote(undefined);
      else session.end(...endOfExit(exit, { message, wasStopped: isInterrupted }));
    });
    return process;
  };

  const main = run({ prompt: request.prompt, resume: request.resume });
  return {
    ...session.toDriverSession(main),
    end: async (options) => {
      for (const process of processes) await process.end({ ...options, isTurnOver: session.hasEnded() });
    },
  };
};
