import { mkdirSync } from "node:fs";
import type { AgentSettings } from "../../agents/driver.ts";
import { join } from "node:path";
import { writeFileDurably } from "../../core/durable-file.ts";
import type { Environment } from "../../core/paths.ts";
import { nameSecrets } from "../../core/redaction.ts";
import { type ChosenSandbox, chooseSandbox } from "../../sandbox/choose-sandbox.ts";
import { pickVariables } from "../../sandbox/environment.ts";
import { hostOf } from "../../sandbox/hosts.ts";
import { type Sandbox, openSandbox } from "../../sandbox/open-sandbox.ts";
import type { SideSandboxes } from "../session/side-sandboxes.ts";
import { makeSessionKey, type SessionKey } from "../session/session-key.ts";
import type { WorkerFiles } from "../state/worker-files.ts";
import type { WorkerLog } from "../state/worker-log.ts";
import type { WorkerState } from "../state/worker-state.ts";
import type { StartRequest } from "./start-request.ts";

type Ports = {
  env: Environment;
  fetch: typeof fetch;
  log: Pick<WorkerLog, "line" | "event">;
  files: Pick<WorkerFiles, "scratch">;
};
type Request = Pick<StartRequest, "name" | "sandbox" | "agents" | "dir"> & {
  memory?: StartRequest["memory"] | undefined;
};

/** The sandboxes of a worker: which kind, chosen for each agent that works, and one for each session. */
export const createSandboxKeeper = ({ env, fetch, log, files }: Ports, request: Request) => {
  const { sandbox: settings } = request;
  const short = nameSecrets(pickVariables(env, settings.secrets));
  for (const name of short) log.line(`${name} is too short to be redacted from logs and state`);
  const chosen = new Map<string | undefined, ChosenSandbox>();

  const settingsOf = (agent: string | undefined): AgentSettings =>
    agent === undefined ? {} : (request.agents[agent] ?? {});

  /** @throws AppError `unavailable` where one was asked for and cannot be */
  const choose = (agent: string | undefined): ChosenSandbox => {
    const known = chosen.get(agent);
    if (known) return known;
    const agentSettings = settingsOf(agent);
    const found = chooseSandbox(settings.mode, { env, agent, agentSettings });
    chosen.set(agent, found);
    if (found.kind === "none") log.line(`no sandbox: ${found.reason}`);
    return found;
  };

  const open = async (agent: string, session: number): Promise<Sandbox | undefined> => {
    const own = choose(agent);
    if (own.kind === "none") return undefined;
    mkdirSync(files.scratch, { recursive: true, mode: 0o700 });
    return openSandbox({
      chosen: own,
      settings,
      env,
      agent,
      agentSettings: request.agents[agent] ?? {},
      dir: request.dir,
      hosts: [hostOf(request.memory?.url)].filter((host) => host !== undefined),
      show: [files.scratch],
      onLedger: (entry) => log.event("network", { session, ...entry }),
    });
  };

  /** Beside the session's own: for a folder that is not the project's. */
  const aside = (session: number): SideSandboxes => ({
    kind: (agent) => choose(agent).kind,
    open: async ({ agent, env: added }, { dir, write, read }) => {
      const own = choose(agent);
      if (own.kind === "none") return undefined;
      mkdirSync(files.scratch, { recursive: true, mode: 0o700 });
      return openSandbox({
        chosen: own,
        settings: { ...settings, env: [...settings.env, ...Object.keys(added)] },
        env: { ...env, ...added },
        agent,
        agentSettings: settingsOf(agent),
        dir,
        hosts: [],
        show: [...read, ...(agent === undefined ? [] : [files.scratch])],
        write,
        onLedger: (entry) => log.event("network", { session, ...entry }),
      });
    },
  });

  /** What a session stores with `nightshift memory add` goes where its worker asks, with a key of its own. */
  const memoryEnv = ({ key }: SessionKey): Record<string, string> => {
    const file = join(files.scratch, "memory-key");
    writeFileDurably(file, `${key}\n`, { mode: 0o600 });
    return { NIGHTSHIFT_URL: request.memory?.url ?? "", MEMORY_API_KEY_FILE: file };
  };

  return {
    aside,
    /** as the worker's state says it */
    describe: (agent: string): NonNullable<WorkerState["sandbox"]> => {
      const { kind, ...found } = choose(agent);
      return { mode: settings.mode, kind, ...("reason" in found ? { reason: found.reason } : {}) };
    },
    /** does the work of a session in a sandbox of its own; in none where none holds it */
    during: async <T>(
      agent: string,
      session: number,
      work: (sandbox: Sandbox | undefined) => Promise<T>,
    ): Promise<T> => {
      const sandbox = await open(agent, session);
      const own =
        sandbox && request.memory
          ? await makeSessionKey({ fetch }, request.memory, {
              worker: request.name,
              env,
              onProblem: log.line,
            })
          : undefined;
      try {
        return await work(
          sandbox && own ? { ...sandbox, env: { ...sandbox.env, ...memoryEnv(own) } } : sandbox,
        );
      } finally {
        await own?.end();
        await sandbox?.close();
      }
    },
  };
};
