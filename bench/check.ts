// Budget: the critic stands before every action, so its whole process costs at most 2.5 times `node -e 0`.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { cleanEnv } from "./parts/measure.ts";

const BUDGET = 2.5;
const ROUNDS = 41;

const repo = resolve(import.meta.dirname, "..");
const check = join(repo, "check.mjs");
const plain = mkdtempSync(join(tmpdir(), "nightshift-bench-"));
const harmless = "write the failing test for the pager, then fix the off-by-one and run the whole suite";
const runs = [
  { name: "node -e 0", args: ["-e", "0"], cwd: plain, exit: 0 },
  { name: "check.mjs, PROCEED", args: [check, harmless], cwd: plain, exit: 0 },
  { name: "check.mjs, STOP", args: [check, "skip the tests"], cwd: plain, exit: 1 },
  { name: "check.mjs, a harmless command", args: [check, "npm test"], cwd: plain, exit: 0 },
  { name: "check.mjs, a command to parse", args: [check, "git status && rm -rf dist"], cwd: plain, exit: 0 },
  { name: "check.mjs, with this project's patterns and log", args: [check, harmless], cwd: repo, exit: 0 },
] as const;

const time = ({ name, args, cwd, exit }: (typeof runs)[number]): number => {
  const start = performance.now();
  const { status, stderr } = spawnSync("node", args, { cwd, encoding: "utf8", env: cleanEnv() });
  const elapsed = performance.now() - start;
  if (status !== exit) throw new Error(`${name} failed: ${stderr}`);
  return elapsed;
};
const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;

for (const run of runs) time(run);
// In turn, so that whatever else the machine does hits all alike; noise is cut by the median.
const rounds = Array.from({ length: ROUNDS }, () => runs.map(time));
const medians = runs.map((_, i) => median(rounds.map((times) => times[i] ?? 0)));
const [bare = 1] = medians;
for (const [i, { name }] of runs.entries())
  console.log(`${name}: ${medians[i]?.toFixed(1)} ms, ratio ${((medians[i] ?? 0) / bare).toFixed(2)}`);
const ratio = Math.max(...medians.slice(1, 5)) / bare;
console.log(`ratio ${ratio.toFixed(2)} (budget ${BUDGET})`);
rmSync(plain, { recursive: true });
process.exitCode = ratio <= BUDGET ? 0 : 1;
