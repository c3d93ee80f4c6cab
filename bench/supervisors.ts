// Many supervisors at once: the memory of each while its agent works (budget 80 MB resident), and how long
// all of them take from start to end. NIGHTSHIFT_WORKERS chooses how many (50).
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { promisify } from "node:util";
import { isAlive } from "../core/process-identity.ts";
import { listWorkers } from "../worker/state/worker-store.ts";
import { FINISH, Night } from "../test/faults/night.ts";

const COUNT = Number(process.env["NIGHTSHIFT_WORKERS"] ?? 50);
const BUDGET_MB = 80;
const AT_ONCE = 8;
const WORKER = resolve(import.meta.dirname, "../dist/scripts/worker.js");

const residentMb = (pid: number): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1024;

const night = new Night();

/** On Node, as an installed `worker` runs; this benchmark itself runs on Bun. */
const start = (name: string) =>
  promisify(execFile)("node", [WORKER, "start", name], { cwd: night.root, env: night.env });

try {
  const names = Array.from({ length: COUNT }, (_, index) => `w${index + 1}`);
  for (const name of names)
    await night.plan({
      name,
      health: "exit 0",
      parts: [{ steps: [{ do: "waitForFile", file: "../go/on" }, ...FINISH] }],
    });
  night.write("agent.config.json", JSON.stringify(night.config));
  const startedAt = performance.now();
  for (let index = 0; index < COUNT; index += AT_ONCE)
    await Promise.all(names.slice(index, index + AT_ONCE).map(start));
  await night.until("every agent at work", () =>
    listWorkers(night.home).workers.every(({ sessions }) => sessions[0]?.conversationId !== undefined),
  );
  const resident = listWorkers(night.home)
    .workers.map(({ supervisor }) => residentMb(supervisor.pid))
    .toSorted((a, b) => a - b);
  const at = (share: number) => resident[Math.min(COUNT - 1, Math.floor(share * COUNT))] ?? 0;
  night.write("go/on", "");
  await night.until("every worker's end", () =>
    listWorkers(night.home).workers.every(({ supervisor }) => !isAlive(supervisor)),
  );
  const ended = listWorkers(night.home).workers;
  const complete = ended.filter(({ shown }) => shown === "complete").length;
  console.log(
    `${complete} of ${COUNT} workers complete after ${((performance.now() - startedAt) / 1000).toFixed(1)} s`,
  );
  console.log(
    `supervisor RSS: median ${at(0.5).toFixed(1)} MB, most ${at(1).toFixed(1)} MB (budget ${BUDGET_MB} MB, ${(at(1) / BUDGET_MB).toFixed(2)} of it)`,
  );
  process.exitCode = complete === COUNT && at(1) <= BUDGET_MB ? 0 : 1;
} finally {
  await night.dispose();
}
