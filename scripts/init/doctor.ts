import { plural } from "../../core/plural.ts";
import { docsPage } from "../../core/version.ts";
import { existsSync, mkdtempSync, readdirSync, rmSync, statfsSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findProgram, readProgramVersion } from "../../agents/find-program.ts";
import { findConfigFile } from "../../core/config/find-config.ts";
import { loadConfig } from "../../core/config/load-config.ts";
import { readFileIfThere } from "../../core/read-file.ts";
import { errorText } from "../../core/errors.ts";
import { findLockHolder, readLockOwner } from "../../core/lock-owner.ts";
import { homeFolder, nightshiftHome, workersHome } from "../../core/paths.ts";
import { findServerUrl } from "../../core/server-address.ts";
import { listCriticFaults } from "../../gates/critic/check-patterns.ts";
import { selectGates } from "../../gates/select-gates.ts";
import { chooseSandbox } from "../../sandbox/choose-sandbox.ts";
import { describeHolders } from "../../sandbox/limits/describe-limits.ts";
import { findLimitHolders, NOT_HELD } from "../../sandbox/limits/holders.ts";
import { checkGraph } from "../../runner/task-graph.ts";
import { chooseMemory } from "../../worker/start/plan-services.ts";
import { listWorkers } from "../../worker/state/worker-store.ts";
import { readingOnly } from "../command/read-config.ts";
import { readTasks } from "../command/read-tasks.ts";
import { HOOK_AGENTS } from "../../gates/critic/hook-agents.ts";
import { type Check, type DoctorPorts, fail, ok, warn } from "./check.ts";
import { checkAgents } from "./check-agents.ts";
import { hasHook, HOOK_FILES } from "./agent-hooks.ts";
import { findOrphans } from "./orphans.ts";

const checkRuntime = async ({ env }: DoctorPorts): Promise<Check[]> => {
  const bun = process.versions["bun"];
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  const isNew = bun !== undefined || major > 20 || (major === 20 && minor >= 19);
  const name = bun === undefined ? `Node ${process.versions.node}` : `Bun ${bun}`;
  const git = await findProgram("git", env);
  return [
    isNew ? ok("runtime", name) : fail("runtime", `${name} is too old`, "install Node 20.19 or later"),
    git === undefined
      ? fail("git", "git is not on PATH", "install git")
      : ok("git", (await readProgramVersion(git, env)) ?? "found"),
  ];
};

const attempt = async (
  area: string,
  work: () => Promise<Check[]> | Check[],
  fix: string,
): Promise<Check[]> => {
  try {
    return await work();
  } catch (error) {
    return [fail(area, errorText(error), fix)];
  }
};

const checkProject = ({ cwd, env }: DoctorPorts): Promise<Check[]> =>
  attempt(
    "config",
    async () => {
      const left: string[] = [];
      const decision = readingOnly({ env, note: (line) => left.push(line) });
      const { config, path, root } = await loadConfig(cwd, decision);
      const faults = listCriticFaults(config.critic ?? {});
      const health = join(root, "gates/health.sh");
      const isRunnable = existsSync(health) && (statSync(health).mode & 0o111) !== 0;
      const gates = selectGates(config.gates ?? {}, { root });
      const { tasks, loaded } = await readTasks(decision, { config, root });
      if (loaded) checkGraph(loaded);
      return [
        ...left.map((line) => warn("trust", line, "nightshift trust")),
        path !== undefined
          ? ok("config", path)
          : findConfigFile(cwd) === undefined
            ? warn("config", "no config; defaults apply", "nightshift init")
            : warn("config", "not read, because it was not trusted; defaults apply", "nightshift trust"),
        ...faults.map(({ path: at, message }) =>
          fail("critic", `${at}: ${message}`, "correct it in the config"),
        ),
        isRunnable
          ? ok(
              "gates",
              `${plural(gates.length, "gate")}; gates/health.sh runs ${gates.length === 1 ? "it" : "them"}`,
            )
          : warn(
              "gates",
              existsSync(health)
                ? "gates/health.sh is not executable"
                : "no gates/health.sh: workers end unverified",
              existsSync(health) ? "chmod +x gates/health.sh" : "nightshift init",
            ),
        ok("tasks", plural(tasks.length, "task script")),
      ];
    },
    `correct the file; every key is in ${docsPage("config.md")}`,
  );

const checkHooks = (root: string, env: DoctorPorts["env"]): Check[] =>
  HOOK_AGENTS.flatMap((agent): Check[] => {
    const file = HOOK_FILES[agent];
    if (!hasHook(readFileIfThere(join(root, file)))) return [];
    const launcher = join(nightshiftHome(env), "check.mjs");
    const isThere = existsSync(launcher) || existsSync(join(root, "node_modules/nightshift/check.mjs"));
    return [
      isThere
        ? ok(`hook ${agent}`, `${file}: the critic stands before every tool call`)
        : fail(
            `hook ${agent}`,
            `${file} calls a critic that is not there, so every tool call is blocked`,
            "nightshift init --home --yes",
          ),
    ];
  });

const SERVER_WAIT_MS = 1_500;

const checkServer = async ({ env, cwd }: DoctorPorts): Promise<Check[]> => {
  const quiet = { by: "reading", env, note: () => {} } as const;
  const { config } = await loadConfig(cwd, quiet).catch(() => ({
    config: {} as { server?: undefined; memory?: undefined },
  }));
  const url = findServerUrl({ env, config: config.server });
  try {
    const response = await fetch(`${url}/health`, { signal: AbortSignal.timeout(SERVER_WAIT_MS) });
    return [
      response.ok
        ? ok("server", `${url} answers`)
        : fail("server", `${url} answers ${response.status}`, "look at the server's log"),
    ];
  } catch {
    return [warn("server", `nothing answers at ${url}`, "nightshift serve")];
  }
};

/** Whether a worker that is started now would have a memory, by the very rules that it goes by. */
const checkMemory = async ({ env, cwd }: DoctorPorts): Promise<Check[]> => {
  const loaded = await loadConfig(cwd, { by: "reading", env, note: () => {} });
  const { settings, off, next } = chooseMemory(loaded, env);
  const own = findServerUrl({ env, config: loaded.config.server });
  const url = settings?.url ?? own;
  const isThere = await fetch(new URL("/health", url), { signal: AbortSignal.timeout(SERVER_WAIT_MS) }).then(
    ({ ok: isOk }) => isOk,
    () => false,
  );
  const getKey = `copy the key file from the server's machine, then: nightshift login ${url} --key-file <file>`;
  // While none answers, the line of the server says how to start one.
  if (!settings)
    return [warn("memory", `workers run without memory: ${off}`, next && isThere ? getKey : undefined)];
  if (isThere && !existsSync(settings.keyFile))
    return [
      warn(
        "memory",
        `workers ask ${url} and store nothing there: the key file ${settings.keyFile} is missing`,
        getKey,
      ),
    ];
  return [
    isThere
      ? ok("memory", `workers ask ${url}, with the key in ${settings.keyFile}`)
      : warn(
          "memory",
          `workers run without memory: nothing answers at ${url}`,
          url === own ? undefined : "start the server there, or correct memory.url in the config",
        ),
  ];
};

const SHARED_BITS = 0o077;

const checkSecrets = ({ env }: DoctorPorts): Check[] => {
  const files = [join(homeFolder(env), ".memory-api-key"), join(nightshiftHome(env), "admin-token")];
  return files
    .filter((file) => existsSync(file))
    .map((file) => {
      const mode = statSync(file).mode & 0o777;
      return (mode & SHARED_BITS) === 0
        ? ok("key file", `${file} (mode ${mode.toString(8)})`)
        : fail("key file", `${file} can be read by others (mode ${mode.toString(8)})`, `chmod 600 ${file}`);
    });
};

const listFiles = (folder: string): string[] =>
  existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : [];

const checkLocks = (root: string, env: DoctorPorts["env"]): Check[] => {
  const paths = [
    ...listFiles(join(workersHome(env), ".locks")),
    ...listFiles(join(root, ".nightshift/locks")),
    join(root, ".git/nightshift/worker.lock"),
    join(root, ".nightshift/worker.lock"),
  ].filter((path) => path.endsWith(".lock") && existsSync(path));
  return paths.map((path) => {
    const holder = findLockHolder(path);
    if (holder) return ok("lock", `${path} is held by ${holder.label} (pid ${holder.pid})`);
    const owner = readLockOwner(path);
    return warn(
      "lock",
      `${path} belongs to ${owner ? `${owner.label} (pid ${owner.pid}), which is gone` : "nobody that can be read"}; the next one takes it over`,
      `rm '${path}'`,
    );
  });
};

const checkWorkers = ({ env }: DoctorPorts): Check[] => {
  const { workers, damaged } = listWorkers(workersHome(env));
  const crashed = workers.filter(({ shown }) => shown === "crashed");
  const orphans = findOrphans(workers);
  return [
    ...damaged.map(({ problem }) => fail("worker", problem, "worker remove <name> forgets it")),
    ...crashed.map(({ name }) => warn("worker", `${name} crashed`, `worker resume ${name}`)),
    ...orphans.map(({ pid, mark }) =>
      warn("orphan", `process ${pid} is left of session ${mark}, whose supervisor is gone`, "steerer --once"),
    ),
    ...(crashed.length + damaged.length + orphans.length === 0
      ? [ok("workers", `${workers.length} known, none crashed, no orphans`)]
      : []),
  ];
};

const checkSandbox = ({ env }: DoctorPorts): Check[] => {
  const chosen = chooseSandbox("auto", { env, agent: "scripted", agentSettings: {} });
  return chosen.kind === "none"
    ? [warn("sandbox", `none: ${chosen.reason}`, `sessions have all your rights; ${docsPage("sandbox.md")}`)]
    : [
        ok("sandbox", `${chosen.kind} works; sessions run in it`),
        ok("sandbox limits", describeHolders(chosen.kind === "bubblewrap" ? findLimitHolders() : NOT_HELD)),
      ];
};

const LEAST_FREE = 1024 ** 3;
const MOST_SKEW_MS = 5_000;

/** To compare with a wall clock: "23 Nov 2026, 17:07:13 UTC". */
const localTime = (ms: number): string =>
  new Date(ms).toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "long" });

const checkMachine = ({ env, now }: DoctorPorts): Check[] => {
  const home = existsSync(nightshiftHome(env)) ? nightshiftHome(env) : homeFolder(env);
  const { bavail, bsize } = statfsSync(home);
  const free = bavail * bsize;
  const shown = `${(free / LEAST_FREE).toFixed(1)} GiB free at ${home}`;
  const folder = mkdtempSync(join(tmpdir(), "nightshift-doctor-"));
  const file = join(folder, "clock");
  const before = now();
  writeFileSync(file, "");
  const skew = Math.abs(statSync(file).mtimeMs - before);
  rmSync(folder, { recursive: true, force: true });
  const isSane = new Date(before).getUTCFullYear() >= 2026 && skew < MOST_SKEW_MS;
  return [
    free < LEAST_FREE
      ? warn("disk", shown, "make room: logs, handoffs and the server's blobs need it")
      : ok("disk", shown),
    isSane
      ? ok("clock", localTime(before))
      : fail(
          "clock",
          `the clock says ${localTime(before)} and differs from the disk's by ${Math.round(skew / 1000)} s`,
          "set the clock; rate limits and leases go by it",
        ),
  ];
};

/** Looks at the machine and the project; nothing is changed, no secret is read. */
export const examine = async (ports: DoctorPorts, root: string): Promise<Check[]> => {
  const parts = await Promise.all([
    checkRuntime(ports),
    checkAgents(ports),
    checkProject(ports),
    attempt("server", () => checkServer(ports), "correct NIGHTSHIFT_URL, or server in the config"),
    attempt("memory", () => checkMemory(ports), "correct memory in the config"),
    attempt("key file", () => checkSecrets(ports), "check the permissions of your home"),
    attempt("hook", () => checkHooks(root, ports.env), "check the permissions of the project"),
    attempt("lock", () => checkLocks(root, ports.env), "check the permissions of .nightshift"),
    attempt("worker", () => checkWorkers(ports), "check the permissions of ~/.workers"),
    attempt("sandbox", () => checkSandbox(ports), `see ${docsPage("sandbox.md")}`),
    attempt("disk", () => checkMachine(ports), "check the temporary folder"),
  ]);
  return parts.flat();
};
