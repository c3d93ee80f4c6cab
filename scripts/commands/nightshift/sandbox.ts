import { spawn } from "node:child_process";
import { chooseAgent } from "../../../worker/start/find-driver.ts";
import { agreeToSandbox } from "../../../worker/start/agree-to-sandbox.ts";
import { planAgents } from "../../../worker/start/plan-agents.ts";
import { memorySettings } from "../../../worker/start/plan-services.ts";
import { shortName } from "../../../worker/state/worker-names.ts";
import { getNamedWorker } from "../../../worker/state/resolve-name.ts";
import { AppError } from "../../../core/errors.ts";
import { EXIT } from "../../../core/exit-codes.ts";
import { realFolder, workersHome } from "../../../core/paths.ts";
import { type ChosenSandbox, chooseSandbox } from "../../../sandbox/choose-sandbox.ts";
import { describePolicy } from "../../../sandbox/describe-policy.ts";
import { hostOf } from "../../../sandbox/hosts.ts";
import { type Sandbox, openSandbox } from "../../../sandbox/open-sandbox.ts";
import {
  SANDBOX_MODES,
  type SandboxMode,
  type SandboxSettings,
  planSandbox,
} from "../../../sandbox/settings.ts";
import { workerFiles } from "../../../worker/state/worker-files.ts";
import { type CommandIo, defineCommand } from "../../command/define-command.ts";
import { askForTrust, loadTrustedConfig } from "../../command/read-config.ts";

const OPTIONS = {
  worker: {
    type: "string",
    placeholder: "name",
    complete: "worker",
    description: "As its sessions have it; else as a worker of this directory would",
  },
  agent: {
    type: "string",
    placeholder: "id",
    complete: "agent",
    description: "Coding agent (default: the first one found)",
  },
  sandbox: {
    type: "string",
    choices: SANDBOX_MODES,
    description: "Mode (default: as the config says, else auto)",
  },
} as const;

type Wanted = { worker?: string | undefined; agent?: string | undefined; sandbox?: SandboxMode | undefined };

type Plan = {
  chosen: ChosenSandbox;
  settings: SandboxSettings;
  dir: string;
  agent: string;
  open: () => Promise<Sandbox>;
};

/** What a session of a worker, or of one that would be started here, gets. */
const plan = async ({ worker, agent, sandbox }: Wanted, io: CommandIo): Promise<Plan> => {
  const { env, cwd, reporter } = io;
  const home = workersHome(env);
  const state = worker === undefined ? undefined : getNamedWorker({ home, cwd }, worker);
  const loaded = await loadTrustedConfig(io, state?.configRoot ?? cwd);
  await agreeToSandbox({ by: "record", env, ask: askForTrust(io) }, loaded);
  const name = state ? shortName(state.name) : undefined;
  const mode = sandbox ?? state?.sandbox?.mode;
  const settings = planSandbox(loaded.config, {
    ...(name === undefined ? {} : { worker: name }),
    root: loaded.root,
    env,
    mode,
  });
  const agents = planAgents(loaded);
  const found = await chooseAgent(agent ?? state?.agent, agents, env as Record<string, string>);
  const chosen = chooseSandbox(settings.mode, { env, agent: found.id, agentSettings: found.settings });
  const dir = state ? realFolder(state.dir, "/") : realFolder(".", cwd);
  const hosts = [hostOf(memorySettings(loaded, env)?.url)].filter((host) => host !== undefined);
  const open = () => {
    if (chosen.kind === "none") throw new AppError("unavailable", `no sandbox: ${chosen.reason}`);
    return openSandbox({
      chosen,
      settings,
      env,
      agent: found.id,
      agentSettings: found.settings,
      dir,
      hosts,
      show: state ? [workerFiles(home, state.name).scratch] : [],
      onLedger: ({ host, port, verdict, reason }) =>
        verdict === "allowed"
          ? undefined
          : reporter.note(`${verdict}: ${host}:${port}${reason ? `, ${reason}` : ""}`),
    });
  };
  return { chosen, settings, dir, agent: found.id, open };
};

export const sandboxExplain = defineCommand({
  description: "Starts nothing. What is not listed is as it is on this machine, and only read.",
  options: OPTIONS,
  examples: ["nightshift sandbox explain", "nightshift sandbox explain --worker docs"],
  run: async ({ options }, io) => {
    const { chosen, settings, dir, agent, open } = await plan(options, io);
    const { style } = io.reporter;
    if (chosen.kind === "none") {
      io.reporter.answer({ kind: "none", reason: chosen.reason, mode: settings.mode, dir, agent }, [
        `${style.yellow("no sandbox")}: ${chosen.reason}`,
        "sessions can do whatever you can: read and write all your files, call everybody, leave programs running",
      ]);
      return false;
    }
    const sandbox = await open();
    try {
      const policy = sandbox.policy();
      const variables = Object.keys(sandbox.env).sort();
      io.reporter.answer(
        {
          kind: chosen.kind,
          mode: settings.mode,
          dir,
          agent,
          ...policy,
          env: variables,
          secrets: settings.secrets,
        },
        [
          `${style.green(chosen.kind)} holds sessions of ${agent} in ${dir}`,
          ...describePolicy(policy, { heading: style.bold }),
          style.bold("environment"),
          `  ${variables.join(" ")}`,
        ],
      );
      return true;
    } finally {
      await sandbox.close();
    }
  },
});

export const sandboxShell = defineCommand({
  description:
    "Your shell, as a session's tools would be started: the same files, the same network, the same environment. What it leaves running ends with it.",
  args: [
    { name: "command", description: "What to run in place of the shell", isOptional: true, isVariadic: true },
  ],
  options: OPTIONS,
  examples: ["nightshift sandbox shell", "nightshift sandbox shell -- npm test"],
  run: async ({ args, options }, io) => {
    const { dir, open } = await plan(options, io);
    const sandbox = await open();
    try {
      const [command = sandbox.env["SHELL"] ?? "/bin/sh", ...rest] = args.command;
      const start = sandbox.confinement.wrap({ command, args: rest, cwd: dir, env: sandbox.env });
      const child = spawn(start.command, [...start.args], { cwd: dir, env: sandbox.env, stdio: "inherit" });
      io.insistSignal.addEventListener("abort", () => child.kill("SIGKILL"));
      return await new Promise<number>((resolve, reject) => {
        child.once("error", reject);
        child.once("exit", (code) => resolve(code ?? EXIT.interrupted));
      });
    } finally {
      await sandbox.close();
    }
  },
});
