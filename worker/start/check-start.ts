import { existsSync, statfsSync } from "node:fs";
import { connect } from "node:net";
import type { AgentSettings } from "../../agents/driver.ts";
import { AppError, errorText } from "../../core/errors.ts";
import { workersHome } from "../../core/paths.ts";
import { clockText } from "../../core/people-time.ts";
import { type ChosenSandbox, chooseSandbox } from "../../sandbox/choose-sandbox.ts";
import { hostOf } from "../../sandbox/hosts.ts";
import { listPrivilegedTargets } from "../../sandbox/network/allow-list.ts";
import { HEALTH_SCRIPT, gatesName } from "../session/health.ts";
import { readMemoryKey } from "../session/memory-key.ts";
import { isCheckedBySome } from "../session/project-gates.ts";
import { createBudgetKeeper } from "../ledger/budget-keeper.ts";
import { getDriver, isInstalled } from "./find-driver.ts";
import type { StartRequest } from "../loop/start-request.ts";

/** Something that will not work tonight; `isFatal` where every session is sure to fail of it. */
export type StartCheck = {
  area: "cost" | "agent" | "log-in" | "root" | "gates" | "memory" | "disk" | "sandbox";
  isFatal: boolean;
  /** what it is, and the way out */
  message: string;
};

export type StartPorts = {
  env: Readonly<Record<string, string | undefined>>;
  now: () => number;
  /** undefined where there are no such numbers */
  uid: number | undefined;
  /** where an agent's credentials lie; undefined when there are none */
  findCredentials: (agent: string, env: Readonly<Record<string, string | undefined>>) => string | undefined;
};

const LEAST_FREE_BYTES = 1024 ** 3;
const TIMEOUT_MS = 2_000;

/** Looks for what would only be noticed in the night. Changes nothing, and refuses nothing by itself. */
export const checkStart = async (ports: StartPorts, request: StartRequest): Promise<StartCheck[]> => [
  ...checkBudget(ports, request),
  ...checkSandbox(ports, request),
  ...(await checkAgent(ports, request)),
  ...(await checkGates(ports, request)),
  ...(await checkMemory(request)),
  ...checkDisk(request),
];

/** @throws AppError `config` that names everything that is sure to fail */
export const refuseFatal = (checks: readonly StartCheck[]): void => {
  const fatal = checks.filter(({ isFatal }) => isFatal);
  if (fatal.length > 0)
    throw new AppError("config", fatal.map(({ area, message }) => `${area}: ${message}`).join("\n"));
};

/** A budget that is used up ends the worker before its first session; an agent of a chain has others to stand in. */
const checkBudget = ({ env, now }: StartPorts, request: StartRequest): StartCheck[] => {
  const tell = (isFatal: boolean, message: string): StartCheck[] => [{ area: "cost", isFatal, message }];
  try {
    const spent = createBudgetKeeper({ home: workersHome(env), now }, request).findSpent(request.agent);
    if (!spent || (request.chain && spent.agent !== undefined)) return [];
    const { words, period, untilMs, agent } = spent;
    const key = `${agent === undefined ? "" : `agents.${agent}.`}budget.per${period === "night" ? "Night" : "Day"}Usd`;
    return tell(
      true,
      `${words}, so no session may begin before ${clockText(untilMs, now())}; start it then, or raise ${key} in agent.config.ts`,
    );
  } catch (error) {
    return tell(false, `the budget cannot be enforced: ${errorText(error)}`);
  }
};

/** @throws AppError `unavailable` where a sandbox was asked for and cannot be */
const chooseFor = (
  { env }: Pick<StartPorts, "env">,
  { agent, agents, sandbox }: StartRequest,
): ChosenSandbox => chooseSandbox(sandbox.mode, { env, agent, agentSettings: agents[agent] ?? {} });

const checkSandbox = (ports: StartPorts, request: StartRequest): StartCheck[] => {
  const chosen = chooseFor(ports, request);
  const warn = (message: string): StartCheck => ({ area: "sandbox", isFatal: false, message });
  if (chosen.kind === "none") return [warn(`none (${chosen.reason}): sessions have all your rights`)];
  const { network } = request.sandbox;
  const memory = hostOf(request.memory?.url);
  const listed = network.mode === "none" ? [] : [...network.allow, ...(memory === undefined ? [] : [memory])];
  return listPrivilegedTargets(listed).map((target) =>
    warn(
      `${target} cannot be reached from inside: a sandbox has no ports below 1024; give that server another port`,
    ),
  );
};

const checkAgent = async (ports: StartPorts, request: StartRequest): Promise<StartCheck[]> => {
  const { env, uid, findCredentials } = ports;
  const { agent, agents, onRateLimit } = request;
  const settings = agents[agent] ?? {};
  const driver = await getDriver(agent, settings);
  const isHeld = chooseFor(ports, request).kind !== "none"; // there it is told that it is in one
  const found: StartCheck[] = [];
  const own = { ...env, ...settings.env };
  if (driver.id === "claude" && uid === 0 && !isHeld && !own["IS_SANDBOX"] && skipsPermissions(settings))
    found.push({
      area: "root",
      // A program of the user's own may change to another user before it starts the agent.
      isFatal: settings.command === undefined,
      message: `Claude Code refuses to work unattended as root; run as another user, or, where this is a sandbox, set agents.${agent}.env.IS_SANDBOX to "1"`,
    });
  if (!driver.isScripted && driver.id !== "command" && findCredentials(driver.id, own) === undefined)
    found.push({
      area: "log-in",
      isFatal: false,
      message: `no credentials of ${driver.title} were found; log in first, or every session ends with an error`,
    });
  const substitute = /^agent:(.+)$/s.exec(onRateLimit)?.[1];
  if (substitute !== undefined) {
    const its = agents[substitute] ?? {};
    const second = await getDriver(substitute, its);
    if (!(await isInstalled(second, its, own as Record<string, string>)))
      found.push({
        area: "agent",
        isFatal: false,
        message: `onRateLimit names ${substitute}, whose program (${second.title}) was not found; install it, or choose another`,
      });
  }
  return found;
};

/** As the driver decides it: without a mode of the user's own it skips them. */
const skipsPermissions = (settings: AgentSettings): boolean =>
  settings["permissionMode"] === undefined || settings["permissionMode"] === "bypassPermissions";

const checkGates = async (
  { env }: StartPorts,
  { dir, worktree, gates, done }: StartRequest,
): Promise<StartCheck[]> => {
  const place = existsSync(dir) ? dir : (worktree?.repository ?? dir);
  if (gatesName(place) === HEALTH_SCRIPT) return [];
  const root = existsSync(gates.root) ? gates.root : place;
  try {
    if (await isCheckedBySome({ ...gates, root }, env)) return [];
    return [
      {
        area: "gates",
        isFatal: false,
        message: `no gate checks work in ${place}, so a DONE ends as unverified; declare one in agent.config.ts: gates: { test: { command: "npm test" } }`,
      },
    ];
  } catch (error) {
    return [{ area: "gates", isFatal: done.gates, message: errorText(error) }];
  }
};

const checkMemory = async ({ memory }: StartRequest): Promise<StartCheck[]> => {
  if (!memory) return [];
  const found: StartCheck[] = [];
  const tell = (message: string) => found.push({ area: "memory", isFatal: false, message });
  try {
    readMemoryKey(memory.keyFile);
  } catch (error) {
    tell(`${errorText(error)}; nothing is learned without it`);
  }
  if (!(await isListening(new URL(memory.url))))
    tell(`${memory.url} does not answer, so sessions run without memory; start it with: nightshift serve`);
  return found;
};

/** Asks nothing: a service may count its requests. */
const isListening = ({ hostname, port, protocol }: URL): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({
      host: hostname.replace(/^\[|\]$/g, ""),
      port: Number(port) || (protocol === "https:" ? 443 : 80),
    });
    const answer = (is: boolean) => () => {
      socket.destroy();
      resolve(is);
    };
    socket.once("connect", answer(true)).once("error", answer(false)).setTimeout(TIMEOUT_MS, answer(false));
  });

const checkDisk = ({ dir, worktree }: StartRequest): StartCheck[] => {
  const { bavail, bsize } = statfsSync(existsSync(dir) ? dir : (worktree?.repository ?? "/"));
  if (bavail * bsize >= LEAST_FREE_BYTES) return [];
  const mib = Math.floor((bavail * bsize) / 1024 ** 2);
  return [{ area: "disk", isFatal: false, message: `only ${mib} MiB are free where ${dir} lies; make room` }];
};
