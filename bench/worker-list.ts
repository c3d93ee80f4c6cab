// `worker list` with 50 workers, whole process, against `node -e 0`: budget 4x.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { findIdentity } from "../core/process-identity.ts";
import { DEFAULT_LIMITS, type WorkerState } from "../worker/state/worker-state.ts";
import { cleanEnv, comparePrograms } from "./parts/measure.ts";

const home = mkdtempSync(join(tmpdir(), "nightshift-bench-"));
const supervisor = findIdentity(process.pid);
if (!supervisor) throw new Error("no identity for this process");
const at = new Date().toISOString();
const state = (index: number): WorkerState => ({
  version: 1,
  name: `worker-${index}`,
  task: "Fix the broken links in docs/ ".repeat(20),
  dir: `/home/somebody/projects/project-${index}`,
  agent: "claude",
  agentTitle: "Claude Code",
  isScripted: false,
  max: 10,
  limits: DEFAULT_LIMITS,
  done: { gates: true, cleanTree: true },
  onRateLimit: "wait",
  isShared: false,
  configRoot: `/home/somebody/projects/project-${index}`,
  status: "running",
  session: 5,
  sessions: Array.from({ length: 5 }, (_, number) => ({
    number: number + 1,
    conversationId: "0198c0de-0000-7000-8000-000000000000",
    startedAt: at,
    endedAt: at,
    endReason: "context",
    isCounted: true,
    contextTokens: 151_000,
    windowTokens: 200_000,
    contextSource: "live",
    commits: ["abc1234 Fix a link", "def5678 Fix another"],
    hasChanged: true,
    gateBefore: { verdict: "blocked", exitCode: 1, at },
    mark: "0198c0de-0000-7000-8000-00000000000a",
  })),
  // Alive: the dearest case, as the liveness of each is looked up.
  supervisor,
  context: { tokens: 90_000, windowTokens: 200_000, percent: 45, source: "live" },
  costUsd: 1.25,
  tokens: 100_000,
  memory: "off",
  remarks: [],
  createdAt: at,
  startedAt: at,
  updatedAt: at,
});

try {
  mkdirSync(join(home, ".workers"));
  for (let index = 0; index < 50; index++)
    writeFileSync(join(home, `.workers/worker-${index}.json`), JSON.stringify(state(index), undefined, 2));
  comparePrograms({
    title: "worker list, 50 workers, on Node",
    budget: 4,
    ours: ["node", resolve(import.meta.dirname, "../dist/scripts/worker.js"), "list"],
    theirs: ["node", "-e", "0"],
    env: { ...cleanEnv(home), WORKERS_HOME: join(home, ".workers") },
  });
} finally {
  rmSync(home, { recursive: true, force: true });
}
