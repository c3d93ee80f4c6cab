import { mkdirSync } from "node:fs";
import type { Environment } from "../../core/paths.ts";
import type { ChosenSandbox } from "../../sandbox/choose-sandbox.ts";
import { hostOf } from "../../sandbox/hosts.ts";
import { type Sandbox, openSandbox } from "../../sandbox/open-sandbox.ts";
import type { WorkerFiles } from "../state/worker-files.ts";
import type { WorkerLog } from "../state/worker-log.ts";
import type { StartRequest } from "./start-request.ts";

type Ports = { env: Environment; log: WorkerLog; files: WorkerFiles };
type Input = { request: StartRequest; chosen: ChosenSandbox; agent: string; session: number };

/** The sandbox of the session that comes next; undefined where none holds it. */
export const sessionSandbox = async (
  { env, log, files }: Ports,
  { request, chosen, agent, session }: Input,
): Promise<Sandbox | undefined> => {
  if (chosen.kind === "none") return undefined;
  mkdirSync(files.scratch, { recursive: true, mode: 0o700 });
  return openSandbox({
    chosen,
    settings: request.sandbox,
    env,
    agent,
    agentSettings: request.agents[agent] ?? {},
    dir: request.dir,
    hosts: [hostOf(request.memory?.url)].filter((host) => host !== undefined),
    show: [files.scratch],
    onLedger: (entry) => log.event("network", { session, ...entry }),
  });
};
