import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Clock } from "../../core/clock.ts";
import { loadConfig } from "../../core/config/load-config.ts";
import { isAlive } from "../../core/process-identity.ts";
import { followLog } from "../worker/follow-log.ts";
import { planStart } from "../worker/plan-start.ts";
import { spawnSupervisor } from "../worker/spawn-supervisor.ts";
import { stopWorker } from "../worker/stop-worker.ts";
import { workerFiles } from "../worker/worker-files.ts";
import { type ListedWorker, getWorker } from "../worker/worker-store.ts";
import { DEMO_TASK, makeDemoProject } from "./demo-project.ts";
import { demoScript } from "./demo-script.ts";
import { startDemoServer } from "./demo-server.ts";
import { type StoryLine, type WorkerEvent, narrate } from "./narrate.ts";

export type DemoPorts = {
  clock: Clock;
  env: Readonly<Record<string, string | undefined>>;
  signal: AbortSignal;
  tell: (line: StoryLine) => void;
};

export type DemoResult = { worker: ListedWorker; folder: string; repository: string; home: string };

const NAME = "demo";

const quote = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;

/** The command with which the scripted agent stores a learning: our own CLI, as a real agent would call it. */
const rememberCommand = (server: string, keyFile: string): string => {
  const cli = fileURLToPath(new URL("../../scripts/nightshift.js", import.meta.url));
  const words = [process.execPath, cli, "memory", "add", "--url", server, "--key-file", keyFile];
  words.push(
    "--trigger",
    "slugify in slug.mjs fails the accents test",
    "--learning",
    "normalize to NFD and strip \\p{M} before lower-casing",
  );
  return words.map(quote).join(" ");
};

/**
 * The main job, for real, in a folder of its own: a repository with a failing check, a server with its
 * memory, a worker with its sessions. Everything is a process of ours and ended before this resolves.
 */
export const runDemo = async (
  { clock, env, signal, tell }: DemoPorts,
  { agent }: { agent: string },
): Promise<DemoResult> => {
  const folder = mkdtempSync(join(tmpdir(), "nightshift-demo-"));
  const repository = join(folder, "project");
  const home = join(folder, "workers");
  mkdirSync(repository);
  const isScripted = agent === "scripted";
  // A real agent needs its own home for its login; the scripted one gets none of yours.
  const workerEnv = isScripted
    ? { ...env, HOME: folder, WORKERS_HOME: home }
    : { ...env, WORKERS_HOME: home };
  const server = await startDemoServer(env, folder);
  try {
    const keyFile = join(folder, ".memory-api-key");
    const script = join(folder, "script.json");
    writeFileSync(script, JSON.stringify(demoScript(rememberCommand(server.url, keyFile)), undefined, 2));
    await makeDemoProject(repository, workerEnv, { script, server: server.url, keyFile });
    tell({ tone: "detail", text: `repository with a failing check: ${repository}` });
    tell({ tone: "detail", text: `memory: ${server.url} (embedded server, empty)` });
    tell({ tone: "plain", text: `$ worker start ${NAME} --agent ${agent}   # task: ${DEMO_TASK}` });
    const loaded = await loadConfig(repository);
    const request = await planStart({ name: NAME, agent }, loaded, { env: workerEnv, cwd: repository });
    const started = await spawnSupervisor({ env: workerEnv, home }, request);
    tell({
      tone: isScripted ? "bad" : "plain",
      text: isScripted
        ? `started with the SCRIPTED agent: it plays a script, no model is asked`
        : `started with ${started.agentTitle}`,
    });
    await followWorker({ clock, signal, tell, home }, started.limits.contextPercent);
    return { worker: getWorker(home, NAME), folder, repository, home };
  } finally {
    await server.stop();
  }
};

const followWorker = async (
  { clock, signal, tell, home }: Pick<DemoPorts, "clock" | "signal" | "tell"> & { home: string },
  stopPercent: number,
): Promise<void> => {
  const isOver = () => !isAlive(getWorker(home, NAME).supervisor);
  const { events } = workerFiles(home, NAME);
  await followLog({ clock, signal, isOver }, { path: events, offset: 0, inode: 0 }, (text) => {
    for (const line of text.trimEnd().split("\n"))
      for (const told of narrate(JSON.parse(line) as WorkerEvent, stopPercent)) tell(told);
  });
  if (signal.aborted)
    await stopWorker({ clock, home, signal: new AbortController().signal }, { name: NAME, isNow: true });
};
