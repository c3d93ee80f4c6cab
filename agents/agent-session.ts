import { type AgentProcess, type AgentProcessRequest, startAgentProcess } from "./agent-process.ts";
import { orAfter, systemClock } from "../core/clock.ts";
import { errorText } from "../core/errors.ts";
import type { DriverSession } from "./driver.ts";
import { createEventStream, type TurnEnd, type TurnSignal } from "./event-stream.ts";
import { endOfExit } from "./exit-reason.ts";

/** How an agent is spoken to once it works. */
export type TalkingAgent = {
  /** begins the turn of the closing note; where this throws there will be no note */
  prompt: (text: string) => unknown;
  /** stops the turn, also in the middle of a tool call; may be called more than once */
  interrupt: () => void;
  /** a stop is wanted and no tool call runs; an agent that does nothing else about it is interrupted */
  onIdle?: () => void;
};

/**
 * What all agents' sessions have in common. The first turn is the session: its end is told as `ended`. The turn after
 * it is the closing note's: what is said in it is the note.
 */
export const createAgentSession = ({ prompt, interrupt, onIdle = interrupt }: TalkingAgent) => {
  const stream = createEventStream();
  const openCalls = new Set<string>();
  let isStopAsked = false;
  let noteText = "";
  let settleNote: (note: string | undefined) => void = () => undefined;
  const note = new Promise<string | undefined>((resolve) => {
    settleNote = resolve;
  });

  const isIdle = () => isStopAsked && openCalls.size === 0 && !stream.hasEnded();
  const stopIfIdle = () => {
    if (isIdle()) onIdle();
  };

  const endTurn = (end: TurnEnd) => {
    if (!stream.hasEnded()) return stream.endTurn(end);
    stream.noteSpending(end);
    const said = end.text ?? noteText;
    if (said !== "" && (end.reason === "completed" || end.reason === "limit")) settleNote(said);
    // Some tell the end of a turn that was stopped twice; the note's is still to come.
    else if (end.reason !== "interrupted") settleNote(undefined);
  };

  /** Hands on what the agent's output means. `onHandled` runs when the supervisor has acted on it. */
  const take = (signal: TurnSignal, onHandled?: () => void) => {
    if (signal.type === "turn-end") return endTurn(signal);
    if (signal.type === "tool-start") openCalls.add(signal.id);
    if (signal.type === "tool-end") openCalls.delete(signal.id);
    if (signal.type === "text" && stream.hasEnded()) noteText = signal.text;
    stream.push(signal, onHandled);
    if (signal.type === "tool-end") stopIfIdle();
  };

  /** No more will come: ends the session, if its turn had not, and the wait for a note. */
  const close = (...how: Parameters<typeof stream.end>) => {
    stream.end(...how);
    settleNote(undefined);
  };

  return {
    take,
    /** for a turn whose limits were told before */
    end: stream.end,
    giveNote: settleNote,
    close,
    /** ends the turn for what was thrown */
    fail: (error: unknown) => endTurn({ type: "turn-end", reason: "error", message: errorText(error) }),
    /** tool calls that have begun, or are about to */
    openCalls,
    isStopping: () => isStopAsked && !stream.hasEnded(),
    isIdle,
    stopIfIdle,
    hasEnded: stream.hasEnded,
    noteActivity: stream.noteActivity,
    spent: stream.spent,
    /** starts a process that works as long as the session does */
    start: ({
      leaving,
      ...process
    }: AgentProcessRequest & { leaving: Parameters<typeof endOfExit>[1] }): AgentProcess => {
      const agent = startAgentProcess({ onOutput: stream.noteActivity, ...process });
      void agent.exited.then((exit) => close(...endOfExit(exit, leaving)));
      return agent;
    },
    toDriverSession: (agent?: AgentProcess): DriverSession => ({
      events: stream.events,
      child: agent?.identity,
      spent: stream.spent,
      stopGently: async ({ mayCutTool = false } = {}) => {
        isStopAsked = true;
        if (!mayCutTool) stopIfIdle();
        else if (!stream.hasEnded()) interrupt();
      },
      askForNote: ({ prompt: text, timeoutMs }) => {
        noteText = "";
        (async () => prompt(text))().catch(() => settleNote(undefined));
        return orAfter(systemClock, note, timeoutMs);
      },
      end: async (options) => agent?.end({ ...options, isTurnOver: stream.hasEnded() }),
    }),
  };
};
