import { planAgents } from "../../../worker/start/plan-agents.ts";
import { agreeToSandbox } from "../../../worker/start/agree-to-sandbox.ts";
import { shortName } from "../../../worker/state/worker-names.ts";
import type { WorkerState } from "../../../worker/state/worker-state.ts";
import { DEFAULT_SANDBOX, planSandbox } from "../../../sandbox/settings.ts";
import { askForTrust, loadTrustedConfig } from "../../command/read-config.ts";
import { systemClock } from "../../../core/clock.ts";
import type { LoadedConfig } from "../../../core/config/load-config.ts";
import { AppError, isInterruption } from "../../../core/errors.ts";
import { workersHome } from "../../../core/paths.ts";
import { verifyWorker } from "../../../worker/loop/person-verdict.ts";
import { resolveName } from "../../../worker/state/resolve-name.ts";
import { type CommandIo, defineCommand } from "../../command/define-command.ts";
import { verdictLines } from "./show-verdict.ts";

export const verify = defineCommand({
  description:
    "Judges the commit that the worker left by the rules that were sealed at its start, writes a receipt, and changes its status where the verdict does. Exit 0: complete. See docs/verdict.md.",
  args: [{ name: "name", description: "Name of the worker", complete: "worker" }],
  examples: ["worker verify docs"],
  run: async ({ args }, io) => {
    const { env, cwd, signal, reporter } = io;
    const home = workersHome(env);
    const name = resolveName({ home, cwd }, args.name);
    const ports = { env, clock: systemClock, home, signal, note: reporter.note };
    const verdict = await verifyWorker(ports, name, (state) => planSettings(state, io));
    reporter.answer({ name, ...verdict }, verdictLines(verdict));
    return verdict.word === "complete";
  },
});

/** As its sessions have it: by its config, in the mode that its state keeps. */
const planSettings = async (state: WorkerState, io: CommandIo) => {
  const { env } = io;
  const mode = state.sandbox?.mode;
  const loaded = await loadAgreed(state, io).catch((error: unknown) => {
    if (!(error instanceof AppError) || isInterruption(error)) throw error;
    io.reporter.note(`judged in a sandbox without settings of its own: ${error.message}`);
    return undefined;
  });
  if (!loaded) return { sandbox: { ...DEFAULT_SANDBOX, ...(mode ? { mode } : {}) }, agents: {} };
  const sandbox = planSandbox(loaded.config, { worker: shortName(state.name), root: loaded.root, env, mode });
  return { sandbox, agents: planAgents(loaded) };
};

/** The session may have changed the config: then a person has to agree first, and the verdict says so anyway. */
const loadAgreed = async (state: WorkerState, io: CommandIo): Promise<LoadedConfig> => {
  const loaded = await loadTrustedConfig(io, state.configRoot ?? state.dir);
  await agreeToSandbox({ by: "record", env: io.env, ask: askForTrust(io) }, loaded);
  return loaded;
};
