import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Clock } from "../../core/clock.ts";
import { loadConfig } from "../../core/config/load-config.ts";
import { isAlive } from "../../core/process-identity.ts";
import { followLog } from "../../worker/state/follow-log.ts";
import { planStart } from "../../worker/start/plan-start.ts";
import { spawnSupervisor } from "../../worker/start/spawn-supervisor.ts";
import { stopWorker } from "../../worker/loop/stop-worker.ts";
import { workerFiles } from "../../worker/state/worker-files.ts";
import { type ListedWorker, getWorker } from "../../worker/state/worker-store.ts";
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

/** The command with which the scripted agent stores a learning, as a real agent would; the config says where. */
const REMEMBER =
  "nightshift memory add 'the accents test of slugify in slug.mjs fails' 'normalize to NFD and strip marks before lower-casing'";

/** Our own commands on the agent's PATH, as an installed package has them. */
const linkCommands = (folder: string): string => {
  const bin = join(folder, "bin");
  mkdirSync(bin);
  symlinkSync(fileURLToPath(new URL("../nightshift.js", import.meta.url)), join(bin, "nightshift"));
  return bin;
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
  const repository = join(folder, "slug");
  const home = join(folder, "workers");
  mkdirSync(repository);
  const isScripted = agent === "scripted";
  // A real agent needs its own home for its login; the scripted one gets none of yours.
  const path = `${linkCommands(folder)}${delimiter}${env["PATH"] ?? ""}`;
  const workerEnv = {
    ...env,
    PATH: path,
    WORKERS_HOME: home,
    MEMORY_API_KEY_FILE: join(folder, ".memory-api-key"),
    ...(isScripted ? { HOME: folder } : {}),
  };
  const server = await startDemoServer(env, folder);
  try {
    // The scripted agent counts its sessions beside its script, which is not its home.
    mkdirSync(join(folder, "agent"));
    const script = join(folder, "agent", "script.json");
    writeFileSync(script, JSON.stringify(demoScript(REMEMBER), undefined, 2));
    await makeDemoProject(repository, workerEnv, { script, server: server.url });
    tell({ tone: "detail", text: `repository with a failing check: ${repository}` });
    tell({ tone: "detail", text: `memory: ${server.url} (embedded server, empty)` });
    tell({ tone: "plain", text: `$ worker start ${NAME} --agent ${agent}   # task: ${DEMO_TASK}` });
    const loaded = await loadConfig(repository, { by: "record", env: workerEnv });
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
  await followLog({ clock, signal, isOver }, { path: events, offset: 0, rotated: 0 }, (text) => {
    for (const line of text.trimEnd().split("\n"))
      for (const told of narrate(JSON.parse(line) as WorkerEvent, stopPercent)) tell(told);
  });
  if (signal.aborted)
    await stopWorker({ clock, home, signal: new AbortController().signal }, { name: NAME, isNow: true });
};
