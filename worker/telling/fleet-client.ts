import { withoutUndefined } from "../../core/without-undefined.ts";
import {
  type Ask,
  type DataOf,
  type FleetReport,
  type Reply,
  type Tried,
  type TryAccess,
  inPath,
  tryServer,
  type RunHead,
} from "../../client/server-client.ts";
import { redactSecrets } from "../../core/redaction.ts";
import { readMemoryKey } from "../session/memory-key.ts";
import { instructionTitle } from "../state/instruction-title.ts";
import { type WorkerState, currentSession } from "../state/worker-state.ts";
import { projectName } from "../state/project-name.ts";

/** Where a supervisor tells how its worker is: the server, the key file, and what this machine is called. */
export type FleetSettings = { url: string; keyFile: string; host: string };

const TIMEOUT_MS = 5_000;

/** One request to the server with its key; never throws. */
export const askFleet = <R extends Reply, T = DataOf<R>>(
  fetch: typeof globalThis.fetch,
  { url, keyFile }: FleetSettings,
  ask: Ask<R>,
  limits: Partial<Pick<TryAccess, "timeoutMs" | "signal">> = {},
  read?: (answer: DataOf<R>) => T,
) =>
  tryServer(
    { url, fetch, timeoutMs: TIMEOUT_MS, readKey: () => readMemoryKey(keyFile), ...limits },
    ask,
    read,
  );

type Asked = Tried<unknown>;

/** What is wrong with the key or the server's version stays wrong while this worker runs. */
export const isFinal = ({ status }: Asked): boolean =>
  status !== undefined && status >= 400 && status < 500 && status !== 429 && status !== 408;

/** The server understood who asks, and not what. */
export const isUnfit = ({ status }: Asked): boolean => status === 400 || status === 413;

/**
 * Has the server forget what this host reported of a worker.
 * @returns why it could not be told; one that knows nothing of the worker is as good
 */
export const forgetInFleet = async (
  fetch: typeof globalThis.fetch,
  settings: FleetSettings,
  worker: string,
): Promise<string | undefined> => {
  const where = { host: inPath(settings.host) };
  const { status, problem } = await askFleet(fetch, settings, (client, options) =>
    client.api
      .fleet(where)({ worker: inPath(worker) })
      .delete(undefined, options),
  );
  return status === 404 ? undefined : problem;
};

/** A worker in the words of the fleet; texts are cut to what the server takes, secrets taken out. */
export const fleetReport = (state: WorkerState, lastEvent?: string): FleetReport => {
  const cut = (text: string, length: number) => redactSecrets(text).slice(0, length);
  const percent = state.context?.percent;
  return {
    status: state.status,
    session: currentSession(state),
    max: state.max,
    dir: state.dir.slice(0, 4096),
    task: instructionTitle(state.task, 200),
    agent: state.agentTitle.slice(0, 200),
    costUsd: state.costUsd,
    tokens: state.tokens,
    startedAt: state.startedAt,
    updatedAt: state.updatedAt,
    ...withoutUndefined({
      model: state.model?.slice(0, 200),
      contextPercent: percent === undefined ? undefined : Math.min(1000, percent),
      contextTokens: state.context?.tokens,
      gate: state.lastGate?.verdict,
      lastEvent: lastEvent === undefined ? undefined : cut(lastEvent.split("\n")[0] ?? "", 300),
      reason: state.stopReason === undefined ? undefined : cut(state.stopReason, 2000),
      queueTask: state.lease?.task,
      endedAt: state.endedAt,
    }),
  };
};

/** Which run it is, and what of it changes as it goes on. */
export const runHead = (state: WorkerState): RunHead => ({
  // Only a state of an older version has none, and of those nobody tells.
  id: state.run ?? "",
  project: projectName(state).slice(0, 200),
  startedAt: state.sessions[0]?.startedAt ?? state.startedAt,
  ...(state.context?.windowTokens === undefined ? {} : { windowTokens: state.context.windowTokens }),
  contextLimitPercent: Math.min(100, state.limits.contextPercent),
  ...withoutUndefined({ budgetUsd: state.limits.costUsd, waitingUntil: state.waitingUntil }),
  ...(state.waitingFor === undefined ? {} : { waitingFor: state.waitingFor.slice(0, 400) }),
});
