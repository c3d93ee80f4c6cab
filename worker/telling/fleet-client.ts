import { causeText } from "../../core/errors.ts";
import { redactSecrets } from "../../core/redaction.ts";
import { readMemoryKey } from "../session/memory-key.ts";
import { taskTitle } from "../state/task-title.ts";
import { type WorkerState, currentSession } from "../state/worker-state.ts";

/** Where a supervisor tells how its worker is: the server, the key file, and what this machine is called. */
export type FleetSettings = { url: string; keyFile: string; host: string };

const TIMEOUT_MS = 5_000;

/** What came of a request: a status, an answer, or why there is none, in words. */
export type Asked = { status?: number; problem?: string; answer?: unknown };

export type Question = {
  method: "POST" | "DELETE";
  path: string;
  body?: object;
  timeoutMs?: number;
  signal?: AbortSignal;
};

/** One request to the server with its key; never throws. */
export const askServer = async (
  fetch: typeof globalThis.fetch,
  { url, keyFile }: FleetSettings,
  { method, path, body, timeoutMs = TIMEOUT_MS, signal }: Question,
): Promise<Asked> => {
  try {
    const late = AbortSignal.timeout(timeoutMs);
    const response = await fetch(new URL(path, url), {
      method,
      redirect: "error",
      headers: {
        authorization: `Bearer ${readMemoryKey(keyFile)}`,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: signal ? AbortSignal.any([signal, late]) : late,
    });
    const text = await response.text();
    const { status } = response;
    if (!response.ok) return { status, problem: `${url} answered ${status}` };
    return { status, answer: JSON.parse(text) as unknown };
  } catch (error) {
    return { problem: `${url}: ${causeText(error)}` };
  }
};

/** What is wrong with the key or the server's version stays wrong while this worker runs. */
export const isFinal = ({ status }: Asked): boolean =>
  status !== undefined && status >= 400 && status < 500 && status !== 429 && status !== 408;

/** The server understood who asks, and not what. */
export const isUnfit = ({ status }: Asked): boolean => status === 400 || status === 413;

export const workerPath = (host: string, worker: string): string =>
  `/api/fleet/${encodeURIComponent(host)}/${encodeURIComponent(worker)}`;

/**
 * Has the server forget what this host reported of a worker.
 * @returns why it could not be told; one that knows nothing of the worker is as good
 */
export const forgetInFleet = async (
  fetch: typeof globalThis.fetch,
  settings: FleetSettings,
  worker: string,
): Promise<string | undefined> => {
  const path = workerPath(settings.host, worker);
  const { status, problem } = await askServer(fetch, settings, { method: "DELETE", path });
  return status === 404 ? undefined : problem;
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
