import type { Clock } from "../../core/clock.ts";
import { inPath } from "../../client/server-client.ts";
import { type FleetSettings, askFleet, isFinal } from "./fleet-client.ts";

/** What a person asks of a worker through the server. */
export type WorkerCommand = { id: string; worker: string; action: string; args: Record<string, unknown> };

type Ack = { id: string; state: "received" | "done" | "failed"; detail?: string };

export type CommandLine = {
  /** says what became of a command */
  acknowledge: (ack: Ack) => void;
  /** has the last word go out, and asks for nothing more */
  close: () => Promise<void>;
};

const FIRST_PAUSE_MS = 2_000;
const LONGEST_PAUSE_MS = 15_000;
const LAST_WORD_MS = 2_000;

/**
 * Asks the server what people want of this host's workers, again and again: it holds its answer back until there is
 * something. What came once is not done twice. A server that is away is asked less and less often; one that has no
 * such route, or refuses the key, is asked no more.
 */
export const openCommandLine = (
  { clock, fetch }: { clock: Clock; fetch: typeof globalThis.fetch },
  settings: FleetSettings | undefined,
  {
    who,
    waitSeconds,
    onCommand,
  }: {
    /** for whom it asks now */
    who: () => { worker: string } | { workers: string[] };
    waitSeconds: number;
    onCommand: (command: WorkerCommand) => void;
  },
): CommandLine => {
  if (!settings) return { acknowledge: () => {}, close: async () => {} };
  const seen = new Set<string>();
  const over = new AbortController();
  let acks: Ack[] = [];
  let waiting: AbortController | undefined;

  const ask = async (seconds: number, signal: AbortSignal) => {
    const sent = acks;
    const asked = await askFleet(
      fetch,
      settings,
      (client, options) =>
        client.api
          .fleet({ host: inPath(settings.host) })
          .commands.post({ ...who(), waitSeconds: sent.length > 0 ? 0 : seconds, acks: sent }, options),
      { timeoutMs: (seconds + 10) * 1000, signal },
      ({ commands }) => [...commands],
    );
    if (asked.problem === undefined) acks = acks.filter((ack) => !sent.includes(ack));
    return asked;
  };

  const acknowledge = (ack: Ack): void => {
    acks.push(ack);
    waiting?.abort();
  };

  const take = (command: WorkerCommand): void => {
    acknowledge({ id: command.id, state: "received" });
    if (seen.has(command.id)) return;
    seen.add(command.id);
    onCommand(command);
  };

  const loop = async (): Promise<void> => {
    let pauseMs = 0;
    while (!over.signal.aborted) {
      waiting = new AbortController();
      const { signal } = waiting;
      const asked = await ask(waitSeconds, AbortSignal.any([signal, over.signal]));
      waiting = undefined;
      if (asked.answer) {
        pauseMs = 0;
        for (const command of asked.answer) take(command);
        continue;
      }
      if (signal.aborted || over.signal.aborted) continue; // there is something to say at once
      if (isFinal(asked)) return;
      pauseMs = Math.min(LONGEST_PAUSE_MS, Math.max(FIRST_PAUSE_MS, 2 * pauseMs));
      await clock.sleep(pauseMs, over.signal);
    }
  };
  const running = loop();

  return {
    acknowledge,
    close: async () => {
      over.abort();
      await running;
      if (acks.length > 0) await ask(0, AbortSignal.timeout(LAST_WORD_MS));
    },
  };
};
