import type { Clock } from "../../core/clock.ts";
import { orAfter } from "../../core/clock.ts";
import { causeText } from "../../core/errors.ts";
import { redactSecrets } from "../../core/redaction.ts";
import { readMemoryKey } from "../session/memory-key.ts";
import { taskTitle } from "../state/task-title.ts";
import { ACTIVE, type WorkerState, currentSession } from "../state/worker-state.ts";

/** Where a supervisor tells how its worker is: the server, the key file, and what this machine is called. */
export type FleetSettings = { url: string; keyFile: string; host: string };

export type FleetReporter = {
  /** notes what is new; returns at once, whatever the server does */
  tell: (state: WorkerState) => void;
  /** the last line of the worker's log */
  line: (text: string) => void;
  /** gives the last word a moment to go out */
  close: () => Promise<void>;
};

const GAP_MS = 1_000;
const KEEP_ALIVE_MS = 30_000;
const FIRST_PAUSE_MS = 5_000;
const LONGEST_PAUSE_MS = 60_000;
const TIMEOUT_MS = 3_000;
const LAST_WORD_MS = 1_000;

const SILENT: FleetReporter = { tell: () => {}, line: () => {}, close: async () => {} };

/**
 * Reports a worker to the server without ever holding it up: one request at a time, only the newest state is
 * kept, and a server that is away is asked less and less often. A server that has no such route, or refuses
 * the key, is told nothing more; `onProblem` hears of it once.
 */
export const createFleetReporter = (
  { clock, fetch }: { clock: Clock; fetch: typeof globalThis.fetch },
  settings: FleetSettings | undefined,
  onProblem: (problem: string) => void,
): FleetReporter => {
  if (!settings) return SILENT;
  let latest: WorkerState | undefined;
  let lastLine: string | undefined;
  let isNew = false;
  let isOver = false;
  let pauseMs = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let sending: Promise<void> | undefined;
  const told = new Set<string>();

  const complain = (problem: string) => {
    if (told.has(problem)) return;
    told.add(problem);
    onProblem(`fleet: ${problem}`);
  };

  const schedule = (ms: number) => {
    clearTimeout(timer);
    if (!isOver) timer = setTimeout(send, ms).unref();
  };

  const send = (): void => {
    const state = latest;
    if (!state || sending || isOver) return;
    isNew = false;
    sending = put(fetch, settings, state, lastLine)
      .then((answer) => {
        if (answer.problem) complain(answer.problem);
        isOver ||= answer.isFinal;
        pauseMs = answer.problem ? Math.min(LONGEST_PAUSE_MS, Math.max(FIRST_PAUSE_MS, 2 * pauseMs)) : 0;
      })
      .finally(() => {
        sending = undefined;
        schedule(pauseMs || (isNew ? GAP_MS : KEEP_ALIVE_MS));
      });
  };

  const noteChange = () => {
    if (!latest || isNew) return;
    isNew = true;
    if (!sending && pauseMs === 0) schedule(ACTIVE.includes(latest.status) ? GAP_MS : 0);
  };

  return {
    tell: (state) => {
      latest = state;
      noteChange();
    },
    line: (text) => {
      lastLine = text;
      noteChange();
    },
    close: async () => {
      clearTimeout(timer);
      const finish = async () => {
        await sending;
        if (isNew && pauseMs === 0) {
          send();
          await sending;
        }
      };
      await orAfter(clock, finish(), LAST_WORD_MS);
      clearTimeout(timer);
      isOver = true;
    },
  };
};

const put = async (
  fetch: typeof globalThis.fetch,
  settings: FleetSettings,
  state: WorkerState,
  lastEvent: string | undefined,
): Promise<{ problem?: string; isFinal: boolean }> => {
  const { status, problem } = await ask(fetch, settings, {
    method: "PUT",
    worker: state.name,
    body: fleetReport(state, lastEvent),
  });
  if (problem === undefined) return { isFinal: false };
  // What is wrong with the key or the server's version stays wrong while this worker runs.
  return { problem, isFinal: status !== undefined && status >= 400 && status < 500 && status !== 429 };
};

/**
 * Has the server forget what this host reported of a worker.
 * @returns why it could not be told; one that knows nothing of the worker is as good
 */
export const forgetInFleet = async (
  fetch: typeof globalThis.fetch,
  settings: FleetSettings,
  worker: string,
): Promise<string | undefined> => {
  const { status, problem } = await ask(fetch, settings, { method: "DELETE", worker });
  return status === 404 ? undefined : problem;
};

/** One request about a worker of this host; never throws. */
const ask = async (
  fetch: typeof globalThis.fetch,
  { url, keyFile, host }: FleetSettings,
  { method, worker, body }: { method: "PUT" | "DELETE"; worker: string; body?: object },
): Promise<{ status?: number; problem?: string }> => {
  try {
    const response = await fetch(
      new URL(`/api/fleet/${encodeURIComponent(host)}/${encodeURIComponent(worker)}`, url),
      {
        method,
        redirect: "error",
        headers: {
          authorization: `Bearer ${readMemoryKey(keyFile)}`,
          ...(body === undefined ? {} : { "content-type": "application/json" }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(TIMEOUT_MS),
      },
    );
    await response.arrayBuffer();
    const { status } = response;
    return response.ok ? { status } : { status, problem: `${url} answered ${status}` };
  } catch (error) {
    return { problem: `${url}: ${causeText(error)}` };
  }
};

/** A worker in the words of the fleet; texts are cut to what the server takes, secrets taken out. */
export const fleetReport = (state: WorkerState, lastEvent?: string): Record<string, unknown> => {
  const cut = (text: string, length: number) => redactSecrets(text).slice(0, length);
  return {
    status: state.status,
    session: currentSession(state),
    max: state.max,
    dir: state.dir.slice(0, 4096),
    task: taskTitle(state.task, 200),
    agent: state.agentTitle.slice(0, 200),
    ...(state.model === undefined ? {} : { model: state.model.slice(0, 200) }),
    ...(state.context?.percent === undefined
      ? {}
      : { contextPercent: Math.min(1000, state.context.percent) }),
    ...(state.context === undefined ? {} : { contextTokens: state.context.tokens }),
    costUsd: state.costUsd,
    tokens: state.tokens,
    ...(state.lastGate ? { gate: state.lastGate.verdict } : {}),
    ...(lastEvent === undefined ? {} : { lastEvent: cut(lastEvent.split("\n")[0] ?? "", 300) }),
    ...(state.stopReason === undefined ? {} : { reason: cut(state.stopReason, 2000) }),
    ...(state.lease ? { queueTask: state.lease.task } : {}),
    startedAt: state.startedAt,
    updatedAt: state.updatedAt,
    ...(state.endedAt === undefined ? {} : { endedAt: state.endedAt }),
  };
};
