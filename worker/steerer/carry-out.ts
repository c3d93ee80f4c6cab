import { loadConfig } from "../../core/config/load-config.ts";
import { errorText } from "../../core/errors.ts";
import { adjustmentOf } from "../loop/do-command.ts";
import { planResume } from "../start/plan-start.ts";
import { spawnSupervisor } from "../start/spawn-supervisor.ts";
import { findState, isSupervised, toListed } from "../state/worker-store.ts";
import { type CommandLine, type WorkerCommand, openCommandLine } from "../telling/command-line.ts";
import { type SteerPorts, watchedWorkers } from "./round.ts";
import type { SteerSettings } from "./steer-settings.ts";

const WAIT_SECONDS = 5;

const textOf = (value: unknown): string | undefined =>
  typeof value === "string" && value.trim() !== "" ? value : undefined;

/** Goes on with a worker that has ended, as `worker resume` does. @returns what became of it, in words */
const resume = async (
  { env, home, log }: SteerPorts,
  { worker: name, args }: WorkerCommand,
): Promise<string> => {
  const state = findState(home, name);
  if (!state) throw new Error(`there is no worker ${name} here any more`);
  const worker = toListed(home, state);
  if (isSupervised(home, worker)) return "it runs already";
  const loaded = await loadConfig(worker.configRoot, { by: "record", env });
  const note = textOf(args["text"]);
  const request = await planResume(worker, loaded, { env, ...adjustmentOf(args), note });
  const { supervisor } = await spawnSupervisor({ env, home }, request);
  log.tell("resume", {
    worker: name,
    dir: worker.dir,
    message: "resumed: a person asked for it through the server",
    pid: supervisor.pid,
  });
  return "it goes on";
};

/**
 * Does what people ask through the server of workers that have ended. What is asked of those that run, their
 * supervisors do themselves.
 */
export const carryOut = (ports: SteerPorts, settings: SteerSettings): CommandLine => {
  const ended = (): string[] =>
    watchedWorkers(ports.home, settings.dirs)
      .filter((worker) => !isSupervised(ports.home, worker))
      .map(({ name }) => name)
      .slice(0, 2000);
  const act = async (command: WorkerCommand): Promise<void> => {
    try {
      if (command.action !== "resume") throw new Error(`the steerer cannot ${command.action}`);
      const detail = await resume(ports, command);
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
  return line;
};
