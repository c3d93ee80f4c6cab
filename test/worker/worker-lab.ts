import { execFileSync, spawn } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import type { Script, ScriptedStep } from "../../agents/scripted/script.ts";
import { readFileIfThere } from "../../core/read-file.ts";
import { isAlive } from "../../core/process-identity.ts";
import { findMarked } from "../../core/process-tree.ts";
import type { WorkerState } from "../../worker/state/worker-state.ts";
import { type ListedWorker, toListed } from "../../worker/state/worker-store.ts";
import { guardFolder } from "../guard.ts";
import { waitFor } from "../wait-for.ts";

const DIST = resolve(import.meta.dirname, "../../dist/scripts");

export type Run = { code: number; out: string; err: string };

/** A worker on the scripted agent with something to do. */
export const START = ["--agent", "scripted", "--task", "the task"] as const;
export const say = (text: string): ScriptedStep => ({ do: "say", text });
/** An agent that says "up" and then nothing any more. */
export const HANG: Script = { parts: [{ steps: [say("up"), { do: "hang" }], note: "HANDOFF: was hanging" }] };

/** A throw-away home with real repositories, in which the built commands are run as a user runs them. */
export class WorkerLab {
  readonly folder = realpathSync(mkdtempSync(join(tmpdir(), "nightshift-lab-")));
  readonly #endGuard = guardFolder(this.folder);
  readonly home = join(this.folder, "home");
  readonly workers = join(this.home, ".workers");
  readonly repository = join(this.folder, "repo");
  /** what runs the commands */
  program = process.execPath;
  env: Record<string, string> = {
    HOME: this.home,
    PATH: process.env["PATH"] ?? "",
    GIT_CONFIG_GLOBAL: "/dev/null",
  };

  constructor() {
    mkdirSync(this.home);
    this.makeRepository(this.repository);
  }

  makeRepository(dir: string): void {
    mkdirSync(dir, { recursive: true });
    this.git(dir, "init", "--quiet", "--initial-branch=main");
    this.git(dir, "config", "user.name", "Lab");
    this.git(dir, "config", "user.email", "lab@localhost");
    writeFileSync(join(dir, "README"), "lab\n");
    this.commit(dir, "Begin");
  }

  git(dir: string, ...args: string[]): string {
    return execFileSync("git", ["-C", dir, ...args], { encoding: "utf8", env: this.env });
  }

  commit(dir: string, message: string): void {
    this.git(dir, "add", "--all");
    this.git(dir, "commit", "--quiet", "--message", message);
  }

  put(path: string, text: string, mode = 0o644): string {
    const full = resolve(this.repository, path);
    mkdirSync(dirname(full), { recursive: true });
    writeFileSync(full, text, { mode });
    return full;
  }

  read(path: string): string {
    return readFileSync(resolve(this.repository, path), "utf8");
  }

  /** A gate that is healthy once `file` exists in the repository. */
  gateOn(file: string): void {
    this.put(
      "gates/health.sh",
      `#!/bin/sh\ntest -f ${file} || { echo "error: ${file} is missing"; exit 1; }\n`,
      0o755,
    );
  }

  /** Declares the scripted agent with this script (outside the repository), and commits the config. */
  play(script: Script, config: Record<string, unknown> = {}, dir = this.repository): void {
    const file = join(this.folder, `script-${Math.random().toString(36).slice(2)}.json`);
    writeFileSync(file, JSON.stringify(script));
    writeFileSync(
      join(dir, "agent.config.json"),
      JSON.stringify({ ...config, agents: { scripted: { script: file }, ...(config["agents"] as object) } }),
    );
    this.commit(dir, "Configure");
  }

  /** Runs a built command to its end. */
  run(
    program: string,
    args: readonly string[],
    options: { cwd?: string; env?: Record<string, string>; input?: string } = {},
  ): Promise<Run> {
    return new Promise((done) => {
      const child = spawn(this.program, [join(DIST, `${program}.js`), ...args], {
        cwd: options.cwd ?? this.repository,
        env: { ...this.env, ...options.env },
        stdio: ["pipe", "pipe", "pipe"],
      });
      let out = "";
      let err = "";
      child.stdout.on("data", (chunk: Buffer) => (out += chunk.toString("utf8")));
      child.stderr.on("data", (chunk: Buffer) => (err += chunk.toString("utf8")));
      child.stdin.end(options.input ?? "");
      child.once("close", (code) => done({ code: code ?? -1, out, err }));
    });
  }

  worker(...args: string[]): Promise<Run> {
    return this.run("worker", args);
  }

  /** Starts a worker with the scripted agent; fails the test when it does not start. */
  async start(name: string, ...args: string[]): Promise<void> {
    const { code, err } = await this.worker("start", name, ...START, ...args);
    if (code !== 0) throw new Error(`worker start exited with ${code}: ${err}`);
  }

  state(name: string): ListedWorker | undefined {
    const text = readFileIfThere(join(this.workers, `${name}.json`));
    return text === undefined ? undefined : toListed(this.workers, JSON.parse(text) as WorkerState);
  }

  events(name: string): { type: string; [key: string]: unknown }[] {
    const text = readFileIfThere(join(this.workers, `${name}.events.jsonl`)) ?? "";
    return text
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as { type: string });
  }

  /** Waits until the worker's agent has said this. */
  hasSaid(name: string, text: string): Promise<true> {
    return waitFor(`${name} to say ${text}`, () =>
      this.events(name).some((event) => event.type === "text" && event["text"] === text),
    );
  }

  prompts(name: string): string[] {
    return this.events(name)
      .filter((event) => event.type === "prompt")
      .map((event) => String(event["prompt"]));
  }

  /** The state once the worker's supervisor has left. */
  async ended(name: string, timeoutMs = 400_000): Promise<ListedWorker> {
    return waitFor(
      `worker ${name} to end`,
      () => {
        const state = this.state(name);
        return state && !isAlive(state.supervisor) ? state : undefined;
      },
      timeoutMs,
    ).catch((error: unknown) => {
      const log = readFileIfThere(join(this.workers, `${name}.log`)) ?? "(no log)";
      throw new Error(`${String(error)}; the end of its log:\n${log.slice(-3_000)}`, { cause: error });
    });
  }

  /** Live processes of any session of a worker. */
  leftovers(name: string): number[] {
    return (this.state(name)?.sessions ?? []).flatMap(({ mark }) => findMarked(mark).map(({ pid }) => pid));
  }

  /** Ends what a failing test left, and removes the folder. */
  async dispose(): Promise<void> {
    if (existsSync(this.workers)) await this.worker("stop-all", "--now");
    rmSync(this.folder, { recursive: true, force: true });
    this.#endGuard();
  }
}
