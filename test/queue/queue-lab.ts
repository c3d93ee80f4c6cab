import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import type { Part } from "../../agents/scripted/script.ts";
import type { AgentConfig } from "../../core/config/agent-config.ts";
import { systemClock } from "../../core/clock.ts";
import { readFileIfThere } from "../../core/read-file.ts";
import { endMarked } from "../../core/process-tree.ts";
import { type NewJob, addJob } from "../../queue/add-job.ts";
import { listEvents } from "../../queue/events.ts";
import { openQueue } from "../../queue/open-queue.ts";
import { QUEUE_CHANNEL, type Queue } from "../../queue/queue.ts";
import { getRow, toJob } from "../../queue/rows.ts";
import type { Job, JobEvent } from "../../queue/job.ts";
import { createSilentLog } from "../../core/log.ts";
import { exitOf } from "../../server/fixtures/spawn-server.ts";
import { guardFolder } from "../guard.ts";
import { waitFor } from "../wait-for.ts";

const NIGHTSHIFT = resolve(import.meta.dirname, "../../dist/scripts/nightshift.js");

export type PoolProcess = {
  host: string;
  child: ChildProcess;
  /** everything it has printed */
  output: () => string;
  kill: () => Promise<void>;
  /** that it has ended although nobody asked it to; undefined until then */
  findDeath: () => string | undefined;
  /** sends a signal and waits for its end; its exit code */
  end: (signal: NodeJS.Signals) => Promise<number | NodeJS.Signals | null>;
};

const WAIT_MS = 120_000;

/** Empty when the process is gone, be it while it is read (ESRCH). */
const environOf = (pid: string): string => {
  try {
    return readFileSync(`/proc/${pid}/environ`, "latin1");
  } catch {
    return "";
  }
};

/** Several machines in one folder: each host has a home of its own, all of them one queue. */
export class QueueLab {
  readonly root = realpathSync(mkdtempSync(join(tmpdir(), "nightshift-queue-")));
  readonly #endGuard = guardFolder(this.root);
  readonly #url: string;
  readonly #pools: PoolProcess[] = [];
  config: AgentConfig = { workers: {}, agents: {} };
  env: Record<string, string> = {};
  queue: Queue;

  private constructor(url: string, queue: Queue) {
    this.#url = url;
    this.queue = queue;
    this.write(
      "gitconfig",
      "[user]\n name = Lab\n email = lab@localhost\n[init]\n defaultBranch = main\n[core]\n fsync = none\n[gc]\n auto = 0\n",
    );
  }

  static async open(url: string): Promise<QueueLab> {
    const queue = await openQueue({ url, poolSize: 4, waitMs: 10_000 }, { log: createSilentLog() });
    return new QueueLab(url, queue);
  }

  write(path: string, text: string, mode = 0o644): string {
    const full = join(this.root, path);
    mkdirSync(dirname(full), { recursive: true });
    writeFileSync(full, text, { mode });
    return full;
  }

  read(path: string): string {
    return readFileIfThere(join(this.root, path)) ?? "";
  }

  git(dir: string, ...args: string[]): string {
    const env = { PATH: process.env["PATH"] ?? "", GIT_CONFIG_GLOBAL: join(this.root, "gitconfig") };
    return execFileSync("git", args, { cwd: join(this.root, dir), env, encoding: "utf8" });
  }

  /** A folder with a gate that is healthy; `isRepository` makes it one with a commit. */
  folder(dir: string, { isRepository = false } = {}): string {
    this.write(join(dir, "gates/health.sh"), "#!/bin/sh\nexit 0\n", 0o755);
    if (isRepository) {
      this.git(dir, "init", "--quiet");
      this.git(dir, "add", "--all");
      this.git(dir, "commit", "--quiet", "--message", "first");
    }
    return join(this.root, dir);
  }

  /** A bare repository that pools clone and push to. */
  origin(name: string): string {
    this.folder(`${name}-seed`, { isRepository: true });
    this.git(".", "clone", "--quiet", "--bare", `${name}-seed`, `${name}.git`);
    return join(this.root, `${name}.git`);
  }

  /** Declares a worker that plays a script; it lies in the root, so that its steps see and write what lies there. */
  worker(name: string, parts: Part[], declaration: NonNullable<AgentConfig["workers"]>[string] = {}): void {
    const script = this.write(`${name}.script.json`, JSON.stringify({ parts }));
    const agent = `plays-${name}`;
    this.config.agents = { ...this.config.agents, [agent]: { driver: "scripted", script } };
    this.config.workers = {
      ...this.config.workers,
      [name]: { agent, ...declaration, limits: { backoffSeconds: 0, ...declaration.limits } },
    };
    this.write("pools/agent.config.json", JSON.stringify(this.config));
  }

  add(task: Partial<NewJob> & Pick<NewJob, "worker">): Promise<Job> {
    return addJob(this.queue, {
      task: `play ${task.worker}`,
      repo: undefined,
      dir: undefined,
      host: undefined,
      isInPlace: false,
      priority: 0,
      after: [],
      maxAttempts: 100,
      ...task,
    });
  }

  async task(id: number): Promise<Job> {
    return toJob(await getRow(this.queue.db, id));
  }

  /** As if the time had come that tasks wait for before their next try. */
  async endPauses(): Promise<void> {
    await this.queue.db.transaction(async (tx) => {
      await tx.run("UPDATE nightshift_queue_engine.job SET start_after = now() WHERE start_after > now()");
      await tx.notify(QUEUE_CHANNEL, "ready");
    });
  }

  /** As if the time had come at which the leases of a host end that does not renew them. */
  async endLeases(host: string): Promise<void> {
    await this.queue.db.run(
      "UPDATE queue_tasks SET lease_until = now() WHERE run_host = $1 AND lease_until > now()",
      [host],
    );
  }

  events(id: number): Promise<JobEvent[]> {
    return listEvents(this.queue.db, id);
  }

  environment(host: string): Record<string, string> {
    const home = join(this.root, host);
    mkdirSync(home, { recursive: true });
    return {
      PATH: process.env["PATH"] ?? "",
      HOME: home,
      NIGHTSHIFT_HOST: host,
      GIT_CONFIG_GLOBAL: join(this.root, "gitconfig"),
      GIT_CONFIG_NOSYSTEM: "1",
      DATABASE_URL: this.#url,
      NO_COLOR: "1",
      ...this.env,
    };
  }

  /** The lease is short enough to be waited out, and long enough for a busy machine to start a worker within it. */
  pool(
    host: string,
    { slots = 1, args = [] as string[], leaseSeconds = 20, runtime = process.execPath } = {},
  ): PoolProcess {
    const words = [
      "pool",
      "--slots",
      slots,
      "--lease-seconds",
      leaseSeconds,
      "--min-memory",
      0,
      "--min-disk",
      0,
    ];
    const child = spawn(runtime, [NIGHTSHIFT, ...words.map(String), ...args], {
      cwd: join(this.root, "pools"),
      env: this.environment(host),
      stdio: ["ignore", "pipe", "pipe"],
    });
    let text = "";
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (chunk: Buffer) => (text += String(chunk)));
    let isAsked = false;
    const end = (signal: NodeJS.Signals) => {
      isAsked = true;
      child.kill(signal);
      return exitOf(child);
    };
    const findDeath = () =>
      isAsked || (child.exitCode === null && child.signalCode === null)
        ? undefined
        : `the pool on ${host} ended by itself (${child.signalCode ?? child.exitCode}): ${text.slice(-3_000)}`;
    const kill = async () => void (await end("SIGKILL"));
    const started = { host, child, output: () => text, findDeath, end, kill };
    this.#pools.push(started);
    return started;
  }

  /** Waits until a task looks like this. */
  until(id: number, what: string, isIt: (task: Job) => boolean): Promise<Job> {
    return waitFor(
      `task ${id} to be ${what}`,
      async () => {
        const task = await this.task(id);
        return isIt(task) && task;
      },
      WAIT_MS,
    ).catch((error: unknown) => {
      throw new Error(`${String(error)}\n${this.outputs()}`, { cause: error });
    });
  }

  /** What the pools have said last. */
  outputs(): string {
    return this.#pools.map(({ host, output }) => `--- pool on ${host}\n${output().slice(-3_000)}`).join("\n");
  }

  /** Everything that is known of tasks that do not get on: rows, events, processes, what the pools said. */
  async report(tasks: readonly Job[]): Promise<string> {
    const lines = await Promise.all(
      tasks.map(async (task) => {
        const events = await this.events(task.id);
        const { id, worker, state, phase, token, attempts, pool, reason } = task;
        const row = JSON.stringify({ id, worker, state, phase, token, attempts, pool, reason });
        return `${row}\n${events.map(({ at, kind, token: run, text }) => `   ${at} ${kind} ${run ?? ""} ${text ?? ""}`).join("\n")}`;
      }),
    );
    return [...lines, "--- processes", ...this.processes(), this.outputs()].join("\n");
  }

  /** Every live process that was started in this lab: what it was told as its home tells. */
  processes(): string[] {
    return readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
      .flatMap((pid) => {
        try {
          if (!environOf(pid).includes(this.root)) return [];
          return [`${pid} ${readFileSync(`/proc/${pid}/cmdline`, "latin1").replaceAll("\0", " ")}`];
        } catch {
          return []; // it is gone
        }
      });
  }

  async close(): Promise<void> {
    for (const { end, child } of this.#pools)
      if (child.exitCode === null && child.signalCode === null) await end("SIGKILL");
    await waitFor("supervisors to follow their pools", () => this.processes().length === 0, 20_000).catch(
      async () => {
        // A failing test's leftovers are ended one by one, by the marks they carry.
        for (const line of this.processes()) {
          const marks =
            /NIGHTSHIFT_SESSION_MARK=([^\0]*)/.exec(environOf(line.split(" ")[0] ?? ""))?.[1]?.split(":") ??
            [];
          for (const mark of marks) await endMarked(mark, { clock: systemClock, graceMs: 0 });
        }
      },
    );
    await this.queue.close();
    rmSync(this.root, { recursive: true, force: true, maxRetries: 5 });
    this.#endGuard();
  }
}
