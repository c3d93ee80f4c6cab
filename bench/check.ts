// Budget: the critic stands before every action, so its whole process costs at most 1.5 times `node -e 0`.
import { spawnSync } from "node:child_process";
import { resolve } from "node:path";
import { cleanEnv } from "./parts/measure.ts";

const BUDGET = 1.5;
const ROUNDS = 41;

const check = resolve(import.meta.dirname, "../check.mjs");
const action = "write the failing test for the pager, then fix the off-by-one and run the whole suite";
const commands: Record<string, string[]> = {
  "node -e 0": ["-e", "0"],
  "check.mjs": [check, action],
};
// In turn, so that whatever else the machine does hits both alike; CPU noise is cut by the median.
const times: Record<string, number[]> = { "node -e 0": [], "check.mjs": [] };
for (let round = 0; round < ROUNDS; round += 1)
  for (const [name, args] of Object.entries(commands)) {
    const start = performance.now();
    const { status, stderr } = spawnSync("node", args, { encoding: "utf8", env: cleanEnv() });
    times[name]?.push(performance.now() - start);
    if (status !== 0) throw new Error(`${name} failed: ${stderr}`);
  }
const median = (values: number[] = []): number =>
  values.sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
const [bare, critic] = [median(times["node -e 0"]), median(times["check.mjs"])];
const ratio = critic / bare;
console.log(`node -e 0 ${bare.toFixed(1)} ms, check.mjs ${critic.toFixed(1)} ms`);
console.log(`ratio ${ratio.toFixed(2)} (budget ${BUDGET})`);
process.exitCode = ratio <= BUDGET ? 0 : 1;
