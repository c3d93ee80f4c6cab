import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  watch,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Part, ScriptedStep } from "../../agents/scripted/script.ts";
import { type Clock, systemClock } from "../../core/clock.ts";
import type { AgentConfig } from "../../core/config/agent-config.ts";
import type { Limits, WorkerDeclaration } from "../../core/config/sections/workers.ts";
import { isAlive } from "../../core/process-identity.ts";
import { endMarked, signalProcess } from "../../core/process-tree.ts";
import { getDriver } from "../../worker/start/find-driver.ts";
import { planResume, planStart } from "../../worker/start/plan-start.ts";
import { spawnSupervisor } from "../../worker/start/spawn-supervisor.ts";
import type { StartRequest } from "../../worker/loop/start-request.ts";
import type { SandboxMode } from "../../sandbox/settings.ts";
import { supervise } from "../../worker/loop/supervise.ts";
import { workerFiles } from "../../worker/state/worker-files.ts";
import type { WorkerState } from "../../worker/state/worker-state.ts";
import { guardFolder } from "../guard.ts";
import { type ListedWorker, findState, getWorker, listWorkers } from "../../worker/state/worker-store.ts";

export type WorkerEvent = { at: string; type: string; [key: string]: unknown };

type Plan = {
  parts: Part[];
  limits?: Limits;
  name?: string;
  /** below the night's folder; a git repository with one commit is made there unless it exists */
  dir?: string;
  /** content of gates/health.sh; without it, no gate runs */
  health?: string;
} & Omit<WorkerDeclaration, "limits" | "dir">;

/** The steps of an agent that commits one line and says it is done. */
export const FINISH: ScriptedStep[] = [
  { do: "run", command: "echo line >> work.txt && git add -A && git commit -qm line" },
  { do: "say", text: "DONE: one line" },
];

/**
 * One night in a folder of its own: workers' home, repositories, scripts. Supervisors are real (`start` in a
 * process of their own, `run` in this one), and so is the scripted agent behind them.
 */
export class Night {
  readonly root = realpathSync(mkdtempSync(join(tmpdir(), "nightshift-night-")));
  readonly home = join(this.root, "workers");
  readonly env: Record<string, string>;
  config: AgentConfig = {};
  clock: Clock = systemClock;
  /** where a test is about what only happens without a sandbox: `none` */
  sandbox: SandboxMode | undefined;
  readonly #endGuard = guardFolder(this.root);

  constructor() {
    this.env = {
      PATH: process.env["PATH"] ?? "",
      HOME: join(this.root, "home"),
      WORKERS_HOME: this.home,
      GIT_CONFIG_GLOBAL: join(this.root, "gitconfig"),
      GIT_CONFIG_NOSYSTEM: "1",
    };
    mkdirSync(this.env["HOME"] ?? "", { recursive: true });
    writeFileSync(
      join(this.root, "gitconfig"),
      "[user]\n name = Night\n email = night@localhost\n[init]\n defaultBranch = main\n[core]\n fsync = none\n[gc]\n auto = 0\n",
    );
  }

  git(dir: string, ...args: string[]): string {
    return execFileSync("git", args, { cwd: join(this.root, dir), env: this.env, encoding: "utf8" });
  }

  write(path: string, text: string, mode = 0o644): string {
    const full = join(this.root, path);
    mkdirSync(dirname(full), { recursive: true });
    writeFileSync(full, text, { mode });
    return full;
  }

  read(path: string): string {
    return readFileSync(join(this.root, path), "utf8");
  }

  /** A repository with one commit; what is there already stays. */
  repository(dir: string, health?: string): string {
    const path = join(this.root, dir);
    if (existsSync(path)) return path;
    mkdirSync(path, { recursive: true });
    this.git(dir, "init", "-q");
    this.write(join(dir, "README.md"), `# ${dir}\n`);
    if (health !== undefined) this.write(join(dir, "gates/health.sh"), `#!/bin/sh\n${health}\n`, 0o755);
    this.git(dir, "add", "-A");
    this.git(dir, "commit", "-qm", "first");
    return path;
  }

  /** Declares a worker that plays a script; returns what a supervisor is told. */
  async plan({ parts, name = "night", dir = name, health, limits, ...rest }: Plan): Promise<StartRequest> {
    const path = this.repository(dir, health);
    const script = this.write(`${name}.script.json`, JSON.stringify({ parts }));
    const agent = `plays-${name}`;
    this.config = {
      ...this.config,
      agents: { ...this.config.agents, [agent]: { driver: "scripted", script } },
      workers: {
        ...this.config.workers,
        [name]: {
          task: `play ${name}`,
          agent,
          dir: path,
          limits: { backoffSeconds: 0, ...limits },
          ...rest,
        },
      },
    };
    return planStart({ name, sandbox: this.sandbox }, this.loaded(), { env: this.env, cwd: this.root });
  }

  loaded() {
    return { config: this.config, path: join(this.root, "agent.config.json"), root: this.root };
  }

  /** Supervises in this process, to the end of the worker. */
  async run(
    request: StartRequest,
    {
      sinceMs = this.clock.now(),
      beatMs,
      ...signals
    }: { sinceMs?: number; beatMs?: number; stop?: AbortSignal; stopNow?: AbortSignal } = {},
  ): Promise<WorkerState> {
    const never = new AbortController().signal;
    return supervise(
      {
        clock: this.clock,
        env: this.env,
        fetch,
        home: this.home,
        sinceMs,
        ...(beatMs === undefined ? {} : { beatMs }),
        getDriver,
        renderer: "silent",
        signals: { stop: never, stopNow: never, ...signals },
        onStarted: () => undefined,
      },
      request,
    );
  }

  /** Starts a detached supervisor, as `worker start` does. */
  async start(request: StartRequest): Promise<WorkerState> {
    return spawnSupervisor({ env: this.env, home: this.home }, request);
  }

  /** Starts a detached supervisor and waits until it is gone. */
  async finish(request: StartRequest): Promise<ListedWorker> {
    const { supervisor } = await this.start(request);
    await this.until(`the end of ${request.name}`, () => !isAlive(supervisor));
    return this.worker(request.name);
  }

  async resumeRequest(name = "night"): Promise<StartRequest> {
    return planResume(getWorker(this.home, name), this.loaded(), { env: this.env });
  }

  worker(name = "night"): ListedWorker {
    return getWorker(this.home, name);
  }

  files(name = "night") {
    return workerFiles(this.home, name);
  }

  events(name = "night"): WorkerEvent[] {
    const path = this.files(name).events;
    if (!existsSync(path)) return [];
    return readFileSync(path, "utf8")
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line) as WorkerEvent);
  }

  log(name = "night"): string {
    return readFileSync(this.files(name).log, "utf8");
  }

  /** Waits until what is in the night's files makes it true; looks whenever something there changes. */
  async until<T>(what: string, find: () => T | undefined | false): Promise<T> {
    const giveUp = systemClock.elapsed() + 90_000;
    for (;;) {
      const found = find();
      if (found) return found;
      if (systemClock.elapsed() > giveUp) throw new Error(`waited in vain for ${what}\n${this.#account()}`);
      await this.#change();
    }
  }

  async untilShown(status: string, name = "night"): Promise<ListedWorker> {
    return this.until(`${name} ${status}`, () => {
      const state = findState(this.home, name);
      const worker = state ? this.worker(name) : undefined;
      return worker?.shown === status && worker;
    });
  }

  /** Ends a process as the kernel would: no word, no clean-up. */
  async kill(name = "night"): Promise<void> {
    const { supervisor } = this.worker(name);
    signalProcess(supervisor, "SIGKILL");
    await this.until(`${name} dead`, () => !isAlive(supervisor));
  }

  async dispose(): Promise<void> {
    for (const { supervisor, sessions } of listWorkers(this.home).workers) {
      if (supervisor.pid !== process.pid) signalProcess(supervisor, "SIGKILL");
      for (const { mark } of sessions.slice(-3)) await endMarked(mark, { clock: systemClock, graceMs: 0 });
    }
    rmSync(this.root, { recursive: true, force: true, maxRetries: 3 });
    this.#endGuard();
  }

  #account(): string {
    return listWorkers(this.home)
      .workers.map(
        (worker) =>
          `${worker.name}: ${worker.shown} ${worker.stopReason ?? ""}\n${this.log(worker.name).slice(-1_000)}`,
      )
      .join("\n");
  }

  /** The next change below the home or the root, or a moment: a process that dies changes no file. */
  async #change(): Promise<void> {
    const changed = new AbortController();
    const folders = [this.home, this.root].filter((folder) => existsSync(folder));
    const watchers = folders.map((folder) => watch(folder, () => changed.abort()));
    await systemClock.sleep(50, changed.signal);
    for (const watcher of watchers) watcher.close();
  }
}
