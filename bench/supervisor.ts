// What a supervisor adds to a session: the same scripted agent bare and under a detached supervisor,
// one session against many, so that start-up and end cancel out. Budget: 100 ms a session, 150 ms more in a sandbox;
// RSS 80 MB a worker.
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { findBubblewrap } from "../sandbox/find-bubblewrap.ts";
import type { SandboxMode } from "../sandbox/settings.ts";
import type { WorkerState } from "../worker/state/worker-state.ts";
import { cleanEnv } from "./parts/measure.ts";

const SESSIONS = 20;
const BUDGET_MS = 100;
const SANDBOX_BUDGET_MS = 150;
const BUDGET_MB = 80;
const dist = resolve(import.meta.dirname, "../dist");
const folder = mkdtempSync(join(tmpdir(), "nightshift-bench-"));
const home = join(folder, "home");
mkdirSync(home);
const env = {
  ...cleanEnv(home),
  WORKERS_HOME: join(folder, "workers"),
  CI: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
};

const git = (dir: string, ...args: string[]) => execFileSync("git", ["-C", dir, ...args], { env });

const makeProject = (name: string, script: string): string => {
  const dir = join(folder, name);
  mkdirSync(dir, { recursive: true });
  writeFileSync(join(dir, "README"), "x\n");
  const worker = { task: "bench", agent: "scripted", max: SESSIONS, limits: { stalledSessions: 1000 } };
  writeFileSync(
    join(dir, "agent.config.json"),
    JSON.stringify({
      agents: { scripted: { script } },
      workers: { bench: worker, one: { ...worker, max: 1 } },
    }),
  );
  git(dir, "init", "--quiet");
  git(dir, "add", "--all");
  git(dir, "-c", "user.name=b", "-c", "user.email=b@localhost", "commit", "--quiet", "--message", "x");
  return dir;
};

type Timed = { ms: number; rssMb: number };

/** Waits for a detached worker, as `worker start` leaves it behind: its own clock, its own memory. */
const timeWorker = async (dir: string, name: string, sandbox: SandboxMode): Promise<Timed> => {
  execFileSync("node", [join(dist, "scripts/worker.js"), "start", name, "--sandbox", sandbox], {
    cwd: dir,
    env,
  });
  const state = () => JSON.parse(readFileSync(join(env.WORKERS_HOME, `${name}.json`), "utf8")) as WorkerState;
  const { pid } = state().supervisor;
  let rssMb = 0;
  for (;;) {
    try {
      const peak = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
      if (peak === undefined) break;
      rssMb = Math.max(rssMb, Number(peak) / 1024);
    } catch {
      break; // it has left
    }
    await new Promise((next) => setTimeout(next, 20));
  }
  const { startedAt, endedAt = "", status } = state();
  if (status !== "max-reached") throw new Error(`worker ${name} ended as ${status}`);
  return { ms: Date.parse(endedAt) - Date.parse(startedAt), rssMb };
};

/** The agent alone, spoken to as the driver does, as often as the worker starts it. */
const timeBare = async (dir: string, script: string): Promise<number> => {
  const start = performance.now();
  for (let session = 0; session < SESSIONS; session++) {
    const child = spawn(
      "node",
      [join(dist, "agents/scripted/program.js"), script, join(folder, "bare.state.json")],
      { cwd: dir, env, stdio: ["pipe", "pipe", "ignore"] },
    );
    child.stdin.write(`${JSON.stringify({ type: "prompt", prompt: "x", dir })}\n`);
    for await (const line of createInterface({ input: child.stdout })) if (line.includes('"turn-end"')) break;
    child.stdin.end();
    if (child.exitCode === null) await new Promise((left) => child.once("exit", left));
  }
  return performance.now() - start;
};

try {
  const script = join(folder, "script.json");
  writeFileSync(script, JSON.stringify({ parts: [{ steps: [{ do: "say", text: "HANDOFF: next" }] }] }));
  const dir = makeProject("project", script);
  await timeWorker(dir, "one", "none");
  const one = await timeWorker(dir, "one", "none");
  const many = await timeWorker(dir, "bench", "none");
  const bare = await timeBare(dir, script);
  const perSession = (many.ms - one.ms) / (SESSIONS - 1);
  const overhead = perSession - bare / SESSIONS;
  console.log(
    `a session under the supervisor ${perSession.toFixed(0)} ms, the bare agent ${(bare / SESSIONS).toFixed(0)} ms: overhead ${overhead.toFixed(0)} ms (budget ${BUDGET_MS} ms, ${overhead <= BUDGET_MS ? "within" : "OVER"})`,
  );
  if ("program" in findBubblewrap(env)) {
    const held = await timeWorker(dir, "one", "bubblewrap");
    const manyHeld = await timeWorker(dir, "bench", "bubblewrap");
    const heldSession = (manyHeld.ms - held.ms) / (SESSIONS - 1);
    const more = heldSession - perSession;
    console.log(
      `in a sandbox ${heldSession.toFixed(0)} ms: ${more.toFixed(0)} ms more (budget ${SANDBOX_BUDGET_MS} ms, ${more <= SANDBOX_BUDGET_MS ? "within" : "OVER"}; load ${loadavg()[0]?.toFixed(1)})`,
    );
  }
  console.log(
    `peak RSS of the supervisor ${many.rssMb.toFixed(0)} MB (budget ${BUDGET_MB} MB, ${many.rssMb <= BUDGET_MB ? "within" : "OVER"})`,
  );
} finally {
  rmSync(folder, { recursive: true, force: true });
}
