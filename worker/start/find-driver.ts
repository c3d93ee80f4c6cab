import type { AgentSettings, Driver } from "../../agents/driver.ts";
import { AGENTS, type Agent } from "../../agents/index.ts";
import { findProgram } from "../../agents/find-program.ts";
import { AppError } from "../../core/errors.ts";
import { nearestName } from "../../core/nearest-name.ts";

/** How somebody without a coding agent gets one. */
export const INSTALL_AGENT = "npm install --global @anthropic-ai/claude-code";

type Environment = Readonly<Record<string, string>>;

const registry: Readonly<Record<string, Agent>> = AGENTS;

/** The driver behind an agent id: its own, or the one its settings name. Throws `config` for an unknown one. */
export const getDriver = async (agent: string, settings: AgentSettings): Promise<Driver> => {
  const named = typeof settings["driver"] === "string" ? settings["driver"] : agent;
  const id = Object.hasOwn(registry, named) ? named : settings.command === undefined ? named : "command";
  const driver = Object.hasOwn(registry, id) ? await registry[id]?.driver?.() : undefined;
  // A program of the user's own is known to people by the name that the config gives it.
  if (driver)
    return id === agent
      ? driver
      : { ...driver, title: id === "command" ? agent : `${agent} (${driver.title})` };
  const known = Object.keys(registry);
  const near = nearestName(named, known);
  throw new AppError(
    "config",
    `no agent ${JSON.stringify(named)}; ${near ? `did you mean ${near}?` : `known: ${known.join(", ")}`} A program of your own is declared in agent.config.ts: agents: { ${/^\w+$/.test(agent) ? agent : JSON.stringify(agent)}: { command: "…" } }`,
  );
};

/** Whether an agent is there: the program that its settings name, else its own on `PATH` of `env`. */
export const isInstalled = async (
  { id, find }: Driver,
  settings: AgentSettings,
  env: Environment,
): Promise<boolean> => {
  if (find) return find(settings, env);
  const program = settings.command ?? registry[id]?.program;
  return program !== undefined && (await findProgram(program, env)) !== undefined;
};

export type ChosenAgent = { id: string; driver: Driver; settings: AgentSettings };

/**
 * The agent a worker uses: the named one (which must be there), else the first that the config declares or
 * PATH has. @throws AppError `unavailable` that says what was looked for
 */
export const chooseAgent = async (
  wanted: string | undefined,
  agents: Readonly<Record<string, AgentSettings>>,
  env: Environment,
): Promise<ChosenAgent> => {
  if (wanted !== undefined) {
    const settings = agents[wanted] ?? {};
    const driver = await getDriver(wanted, settings);
    if (await isInstalled(driver, settings, env)) return { id: wanted, driver, settings };
    const named = driver.title.startsWith(wanted) ? driver.title : `${wanted} (${driver.title})`;
    throw new AppError(
      "unavailable",
      `agent ${named} was not found: looked for ${settings.command ?? `its program on PATH`}; install it, or name its program in agent.config.ts: agents: { ${wanted}: { command: "/path/to/program" } }`,
    );
  }
  const drivable = Object.keys(registry).filter((id) => registry[id]?.driver);
  const ids = [...new Set([...Object.keys(agents), ...drivable])];
  const looked: string[] = [];
  for (const id of ids) {
    const settings = agents[id] ?? {};
    const driver = await getDriver(id, settings);
    // Both are programs of the user's own: without a command there is nothing to look for.
    if (["command", "acp"].includes(driver.id) && settings.command === undefined) continue;
    if (await isInstalled(driver, settings, env)) return { id, driver, settings };
    if (!driver.isScripted) looked.push(`${id} (${driver.title})`);
  }
  throw new AppError(
    "unavailable",
    `no coding agent was found; looked on PATH for: ${looked.join(", ")}. Install one, for example with \`${INSTALL_AGENT}\`, or declare a program of your own in agent.config.ts: agents: { mine: { command: "…" } }`,
  );
};
