import { loadConfig } from "../../core/config/load-config.ts";
import { AppError, errorText } from "../../core/errors.ts";
import { adjustmentOf, textOf } from "../loop/do-command.ts";
import { planResume } from "../start/plan-start.ts";
import { spawnSupervisor } from "../start/spawn-supervisor.ts";
import { workerFiles } from "../state/worker-files.ts";
import { type WorkerState, currentSession, isActive } from "../state/worker-state.ts";
import { type ListedWorker, findState, isSupervised, toListed } from "../state/worker-store.ts";
import { type CommandLine, type WorkerCommand, openCommandLine } from "../telling/command-line.ts";
import { listSpooled } from "../telling/spool.ts";
import { fleetReport, runHead } from "../telling/fleet-client.ts";
import { tellBatch, tellLeft } from "../telling/tell-left.ts";
import { toldVerdict } from "../telling/told-event.ts";
import { type SteerPorts, watchedWorkers } from "./round.ts";
import type { SteerSettings } from "./steer-settings.ts";

const WAIT_SECONDS = 5;
const ACCEPT_MS = 60_000;
const TELL_EVERY_MS = 15_000;

/** Goes on with a worker that has ended, as `worker resume` does. @returns what became of it, in words */
const resume = async (
  { env, home, log }: SteerPorts,
  worker: ListedWorker,
  { args, note }: { args: Record<string, unknown>; note: string | undefined },
): Promise<string> => {
  const loaded = await loadConfig(worker.configRoot, { by: "record", env });
  const request = await planResume(worker, loaded, { env, ...adjustmentOf(args), note });
  const { supervisor } = await spawnSupervisor({ env, home }, request);
  log.tell("resume", {
    worker: worker.name,
    dir: worker.dir,
    message: "resumed: a person asked for it through the server",
    pid: supervisor.pid,
  });
  return "resumed";
};

const carry = async (ports: SteerPorts, { worker: name, action, args }: WorkerCommand): Promise<string> => {
  const state = findState(ports.home, name);
  if (!state) throw new AppError("not-found", `worker ${name} is no longer on this host`);
  const worker = toListed(ports.home, state);
  if (isSupervised(ports.home, worker)) return "it is already running";
  const text = textOf(args["text"]);
  if (action === "resume") return resume(ports, worker, { args, note: text });
  if (action === "refuse")
    return resume(ports, worker, {
      args: {},
      note: `I looked at your work and refuse it. ${text ?? ""}`,
    });
  if (action !== "accept") throw new AppError("usage", `the steerer cannot ${action}`);
  const { acceptWorker } = await import("../loop/person-verdict.ts"); // once in a while
  await acceptWorker({ ...ports, signal: AbortSignal.timeout(ACCEPT_MS), note: () => {} }, name, text);
  return "accepted; its receipt says so";
};

/** How an ended worker was when the server heard of it last: its status, and the verdict that counts. */
type Known = Map<string, { run: string; status: string; verdict: string }>;

const knownOf = ({ run = "", status, stopReason, verdict }: WorkerState) => ({
  run,
  status: `${status} ${stopReason ?? ""}`,
  verdict: `${verdict?.at ?? ""} ${verdict?.accepted?.at ?? ""}`,
});

/** The state of an ended worker, and its verdict where that is a new one. */
const batchOf = ({ clock }: SteerPorts, state: WorkerState, isJudged: boolean) => {
  const ms = clock.now();
  const about = { seq: ms, at: new Date(ms).toISOString(), session: currentSession(state) };
  return {
    report: fleetReport(state),
    run: runHead(state),
    stream: "steerer",
    events: isJudged && state.verdict ? [{ ...about, ...toldVerdict(state.verdict) }] : [],
  };
};

/**
 * What ended workers could not tell the server, and what became of them since (a person accepted their work), it is
 * told as soon as it is back. @param known how each was at the last look
 */
const tellForEnded = async (
  ports: SteerPorts,
  { fleet }: SteerSettings,
  { names, known }: { names: readonly string[]; known: Known },
) => {
  if (!fleet) return;
  const { home, fetch } = ports;
  for (const name of names) {
    const left = listSpooled(workerFiles(home, name).telling);
    if (left.length > 0 && (await tellLeft(fetch, fleet, name, left)).length > 0) return;
    const state = findState(home, name);
    if (state?.run === undefined || isActive(state.status)) {
      known.delete(name); // its supervisor tells what becomes of it
      continue;
    }
    const [before, now] = [known.get(name), knownOf(state)];
    const isJudged = before?.verdict !== now.verdict;
    // Of another run nothing is known: its supervisor told it.
    if (before?.run === now.run && (isJudged || before.status !== now.status)) {
      const asked = await tellBatch(fetch, fleet, name, batchOf(ports, state, isJudged));
      if (asked.problem !== undefined) return;
    }
    known.set(name, now);
  }
};

/**
 * Does what people ask through the server of workers that have ended, and tells it what those could not. What is
 * asked of those that run, their supervisors do themselves.
 */
export const carryOut = (ports: SteerPorts, settings: SteerSettings): Pick<CommandLine, "close"> => {
  const over = new AbortController();
  const known: Known = new Map();
  const ended = (): string[] =>
    watchedWorkers(ports.home, settings.dirs)
      .filter((worker) => !isSupervised(ports.home, worker))
      .map(({ name }) => name)
      .slice(0, 2000);
  const act = async (command: WorkerCommand): Promise<void> => {
    try {
      const before = findState(ports.home, command.worker);
      if (before && !known.has(command.worker)) known.set(command.worker, knownOf(before));
      const detail = await carry(ports, command);
      await tellForEnded(ports, settings, { names: [command.worker], known });
      line.acknowledge({ id: command.id, state: "done", detail });
    } catch (error) {
      line.acknowledge({ id: command.id, state: "failed", detail: errorText(error).slice(0, 2000) });
    }
  };
  const line = openCommandLine(ports, settings.fleet, {
    who: () => ({ workers: ended() }),
    waitSeconds: WAIT_SECONDS,
    onCommand: (command) => void act(command),
  });
  const telling = (async () => {
    while (!over.signal.aborted) {
      const names = ended();
      for (const name of known.keys()) if (!names.includes(name)) known.delete(name);
      await tellForEnded(ports, settings, { names, known });
      await ports.clock.sleep(TELL_EVERY_MS, over.signal);
    }
  })().catch((error: unknown) => ports.log.tell("telling-failed", { message: errorText(error) }));
  return {
    close: async () => {
      over.abort();
      await line.close();
      await telling;
    },
  };
};
