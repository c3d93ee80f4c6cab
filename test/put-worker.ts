import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { DEFAULT_LIMITS, type WorkerState } from "../worker/state/worker-state.ts";

const minutesAgo = (minutes: number): string => new Date(Date.now() - minutes * 60_000).toISOString();

/** Writes a worker's state as its supervisor would have; it is that of a supervisor that is gone unless said otherwise. */
export const putWorker = (home: string, state: Partial<WorkerState> & { name: string }): void => {
  const at = minutesAgo(4);
  const whole: Partial<WorkerState> = {
    version: 1,
    supervisor: { pid: 999_999_999, startTime: "1", bootId: "none" },
    task: "Fix the broken links",
    dir: `/home/somebody/projects/${state.name}`,
    agent: "claude",
    agentTitle: "Claude Code",
    isScripted: false,
    max: 10,
    limits: DEFAULT_LIMITS,
    done: { gates: true, cleanTree: true },
    onRateLimit: "wait",
    isShared: false,
    configRoot: "/home/somebody",
    session: 3,
    sessions: [],
    costUsd: 1.25,
    tokens: 100_000,
    memory: "off",
    remarks: [],
    createdAt: at,
    startedAt: at,
    updatedAt: at,
    ...state,
  };
  const file = join(home, `${state.name}.json`);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify(whole));
};
