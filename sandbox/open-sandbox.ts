import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
  closeSync,
  readFileSync,
  readdirSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AgentSettings } from "../agents/driver.ts";
import { NO_PLACES } from "../agents/agent.ts";
import type { Confinement } from "../core/confinement.ts";
import { type Environment, homeFolder } from "../core/paths.ts";
import { builtProgram, packageRoot } from "../core/version.ts";
import { needsOf } from "./agent-needs.ts";
import { bubblewrapArguments } from "./bubblewrap.ts";
import type { ChosenSandbox } from "./choose-sandbox.ts";
import { chooseEnvironment, pickVariables } from "./environment.ts";
import { findGitPlaces } from "./git-places.ts";
import { noteGitTraces } from "./git-traces.ts";
import { modelHosts } from "./hosts.ts";
import { openLimiter } from "./limits/enter.ts";
import { findLimitHolders, NOT_HELD } from "./limits/holders.ts";
import { commandWithNetwork, proxyEnvironment } from "./network/inside-command.ts";
import type { CallEntry } from "./network/ledger.ts";
import { startEgressProxy, systemEgressPorts } from "./network/start-egress-proxy.ts";
import { listRegistryHosts } from "./network/registry-hosts.ts";
import { planPolicy } from "./plan-policy.ts";
import type { Policy } from "./policy.ts";
import { openReachInside } from "./reach-inside.ts";
import { seatbeltProfile } from "./seatbelt.ts";
import type { SandboxSettings } from "./settings.ts";
import { spawn } from "node:child_process";

export type SandboxRequest = {
  chosen: Exclude<ChosenSandbox, { kind: "none" }>;
  settings: SandboxSettings;
  /** the user's own environment, whole */
  env: Environment;
  /** whose own places, hosts and variables are needed; undefined: nobody's */
  agent: string | undefined;
  agentSettings: AgentSettings;
  /** real path of the working directory */
  dir: string;
  /** hosts that this worker was found to need besides, such as its memory's */
  hosts: readonly string[];
  /** folders that are shown as they are, wherever they lie */
  show: readonly string[];
  /** folders that are written besides */
  write?: readonly string[];
  onLedger: (entry: CallEntry) => void;
};

/** The sandbox of one session: its environment, the way into it, and what it is. */
export type Sandbox = {
  env: Record<string, string>;
  confinement: Confinement;
  /** as it would be for a program that is started now */
  policy: () => Policy;
  close: () => Promise<void>;
};

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;

const realHome = (env: Environment): string => {
  const home = homeFolder(env);
  return existsSync(home) ? realpathSync(home) : home;
};

/**
 * Opens the sandbox of one session: its own folder, the proxy that is its way out, and what starts programs in it.
 * @throws AppError `config` for a host that is none, `unavailable` where the machine has no room for it
 */
export const openSandbox = async (request: SandboxRequest): Promise<Sandbox> => {
  const traces = await noteGitTraces(request.dir);
  try {
    const sandbox = await open(request);
    const close = async () => {
      try {
        await sandbox.close();
      } finally {
        await traces.remove();
      }
    };
    return { ...sandbox, close };
  } catch (error) {
    await traces.remove();
    throw error;
  }
};

const open = async (request: SandboxRequest): Promise<Sandbox> => {
  const { settings, env, dir, agentSettings, chosen } = request;
  closeInheritedFiles();
  const needs = request.agent === undefined ? undefined : needsOf(request.agent, agentSettings);
  const home = realHome(env);
  const { group, ...held } = chosen.kind === "bubblewrap" ? findLimitHolders() : NOT_HELD;
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "nightshift-")));
  const copies = join(folder, "copies");
  mkdirSync(copies, { mode: 0o700 });
  const emptyFile = join(folder, "empty");
  writeFileSync(emptyFile, "");
  const places = needs?.places({ env: { ...env, ...agentSettings.env }, home, dir, settings: agentSettings });
  const environment = sessionEnvironment(request, needs?.variables ?? []);
  const hosts = [
    ...modelHosts({ hosts: needs?.hosts ?? [] }, { env: environment, settings: places?.settings ?? [] }),
    ...new Set([findGitPlaces(dir)?.top ?? dir, dir].flatMap((each) => listRegistryHosts(each).known)),
    ...request.hosts,
  ];
  const copied = copyFiles(places?.copy ?? [], copies);
  const policy = () =>
    planPolicy({
      env,
      home,
      dir,
      settings,
      places: places ?? NO_PLACES,
      hosts,
      held,
      packageRoot: packageRoot(),
      programs: [process.execPath, ...(agentSettings.command?.includes("/") ? [agentSettings.command] : [])],
      session: { write: [copies, ...(request.write ?? [])], read: [folder, ...request.show] },
    });
  const { network } = policy();
  const socketPath = join(folder, "out.sock");
  const proxy =
    network.mode === "none"
      ? undefined
      : await startEgressProxy(systemEgressPorts, { ...network, socketPath, onLedger: request.onLedger });
  const reachPath = join(folder, "in.sock");
  const inside = needs?.isServer ? await openReachInside(reachPath) : undefined;
  const offered = inside ? [builtProgram("sandbox/inside/offer.js"), reachPath] : undefined;
  const limiter = openLimiter(settings.limits, { ...held, group });
  const endWatch = removeWhenGone(folder, limiter.group);

  const wrap: Confinement["wrap"] = ({ command, args, cwd }) => {
    const own = limiter.inside({ command, args: [...args] });
    const server = offered ? withCompanion(own, offered) : own;
    const called = proxy ? commandWithNetwork({ ...server, socketPath, allow: network.allow }) : server;
    const now = policy();
    if (chosen.kind === "seatbelt")
      return {
        command: chosen.program,
        args: [
          "-p",
          seatbeltProfile(now, { sockets: [socketPath, reachPath] }),
          called.command,
          ...called.args,
        ],
      };
    const mounts = bubblewrapArguments({ policy: now, dir: cwd ?? dir, isFolder, copies: copied, emptyFile });
    return limiter.outside({
      command: chosen.program,
      args: [...mounts, called.command, ...called.args],
    });
  };
  return {
    env: { ...environment, ...(proxy ? proxyEnvironment() : {}), NIGHTSHIFT_SANDBOX: chosen.kind },
    confinement: { wrap, reach: async (port) => (inside ? inside.reach(port) : port) },
    policy,
    close: async () => {
      inside?.close();
      await proxy?.close();
      limiter.close();
      rmSync(folder, { recursive: true, force: true });
      endWatch();
    },
  };
};

/** Commands of ours inside take them out of what they send. */
const namesOfSecrets = (env: Environment, { secrets }: SandboxSettings): Record<string, string> => {
  const names = Object.keys(pickVariables(env, secrets));
  return names.length === 0 ? {} : { NIGHTSHIFT_SECRETS: names.join(",") };
};

const sessionEnvironment = ({ env, settings, agentSettings }: SandboxRequest, own: readonly string[]) => {
  const chosen = chooseEnvironment(env, {
    names: [...own, ...settings.env, ...settings.secrets],
    added: agentSettings.env ?? {},
  });
  // Claude Code asks whether it is in one before it works as root.
  return { IS_SANDBOX: "1", ...chosen, ...namesOfSecrets(env, settings) };
};

/** Copies in the session's own folder, by the path that they stand for. */
const copyFiles = (files: readonly string[], folder: string): ReadonlyMap<string, string> =>
  new Map(
    files
      .filter((file) => existsSync(file))
      .map((file, index) => {
        const copy = join(folder, String(index));
        copyFileSync(file, copy);
        return [file, copy];
      }),
  );

type Start = { command: string; args: string[] };

/** A program of ours that runs beside the command, which takes the shell's place. */
const withCompanion = ({ command, args }: Start, companion: readonly string[]): Start => ({
  command: "/bin/sh",
  args: [
    "-c",
    '"$1" "$2" "$3" </dev/null >/dev/null 2>&1 & shift 3; exec "$@"',
    "nightshift",
    process.execPath,
    ...companion,
    command,
    ...args,
  ],
});

/** Its standard input ends with us, however we end; what ran in the sandbox ends at the same time. */
const SCRIPT = `
read -r _
rm -rf -- "$1"
[ -z "$2" ] && exit
for try in 1 2 3 4 5; do
  rmdir -- "$2" 2>/dev/null || [ ! -d "$2" ] && exit
  sleep 1
done
`.trim();

/**
 * Removes the folder of a sandbox and its cgroup as soon as this process is gone, also when it was killed; what is
 * returned ends the watch.
 */
const removeWhenGone = (folder: string, group: string | undefined): (() => void) => {
  const watch = spawn("/bin/sh", ["-c", SCRIPT, "nightshift", folder, group ?? ""], {
    cwd: "/",
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
    env: { PATH: "/usr/bin:/bin" },
  });
  watch.on("error", () => undefined); // no room for a process: then it stays behind
  watch.stdin.on("error", () => undefined);
  watch.unref();
  (watch.stdin as { unref?: () => void }).unref?.();
  return () => watch.stdin.end();
};

const CLOSE_ON_EXEC = 0o2000000;

/**
 * Closes files that this process was given by whoever started it and would pass on to everything it starts. Node
 * keeps only the low ones to itself; whatever it opens on its own closes by itself.
 */
const closeInheritedFiles = (): void => {
  if (process.platform !== "linux" || process.versions["bun"] !== undefined) return;
  for (const name of readdirSync("/proc/self/fd")) {
    const file = Number(name);
    if (file <= 2) continue;
    try {
      const flags = /^flags:\s+(\d+)/m.exec(readFileSync(`/proc/self/fdinfo/${name}`, "latin1"))?.[1] ?? "";
      if ((Number.parseInt(flags, 8) & CLOSE_ON_EXEC) === 0) closeSync(file);
    } catch {
      // The one that listed them is gone by now.
    }
  }
};
