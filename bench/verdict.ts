// What a verdict costs against the gates that it runs and a plain checkout of the commit. Budget: 1.3 times.
// On projects made here, or on repositories of your own, with `npm test` as their gate or another one behind `=`;
// packages that are installed there are taken along, others are installed by npm:
//   VERDICT_REPOSITORIES="/path/one;/path/two=python3 -m pytest -q" node bench/run.mjs verdict
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { basename, join } from "node:path";
import { systemClock } from "../core/clock.ts";
import { createGit } from "../core/git.ts";
import { judge } from "../verdict/judge.ts";
import { makeSeal } from "../verdict/seal/seal.ts";
import { VERIFY_DEFAULTS } from "../verdict/seal/settings.ts";
import { runGatesOf } from "../worker/session/judge-work.ts";
import { cleanEnv } from "./parts/measure.ts";

const BUDGET = 1.3;
const ROUNDS = 5;
const folder = mkdtempSync(join(tmpdir(), "nightshift-bench-"));
const env: Record<string, string> = {
  ...cleanEnv(),
  NIGHTSHIFT_HOME: join(folder, "home"),
  GIT_CONFIG_GLOBAL: "/dev/null",
};
const git = (dir: string, ...args: string[]): string =>
  execFileSync("git", ["-C", dir, "-c", "user.name=b", "-c", "user.email=b@localhost", ...args], {
    env,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;

type Project = { name: string; dir: string; gate: string };

const TEST = `import { test } from "node:test";
import { value } from "../value.mjs";
test("a value", async () => { if (value < 1) throw new Error("none"); await new Promise((r) => setTimeout(r, 300)); });
`;

/** A project of so many files, whose tests take a moment. */
const makeProject = (files: number): Project => {
  const dir = join(folder, `made-${files}`);
  mkdirSync(join(dir, "test"), { recursive: true });
  writeFileSync(join(dir, "value.mjs"), "export const value = 1;\n");
  writeFileSync(
    join(dir, "package.json"),
    '{ "type": "module", "scripts": { "test": "node --test test/" } }\n',
  );
  writeFileSync(join(dir, "test/value.test.mjs"), TEST);
  for (let index = 0; index < files; index++) {
    const text = `// ${createHash("sha256").update(String(index)).digest("hex")}\n`.repeat(40);
    mkdirSync(join(dir, `src/${index % 50}`), { recursive: true });
    writeFileSync(join(dir, `src/${index % 50}/file-${index}.mjs`), text);
  }
  git(dir, "init", "--quiet");
  git(dir, "add", "--all");
  git(dir, "commit", "--quiet", "--message", "begin");
  return { name: `${files} files`, dir, gate: "npm test" };
};

/** A clone of a repository, its packages beside it; behind `=` stands its gate. */
const takeRepository = (named: string): Project => {
  const [, path = "", gate = "npm test"] = /^([^=]+)=?(.+)?$/.exec(named) ?? [];
  const dir = join(folder, basename(path));
  execFileSync("git", ["clone", "--quiet", path, dir], { env, stdio: "ignore" });
  const packages = join(path, "node_modules");
  const isInstalled = existsSync(packages);
  const [command, ...args] = isInstalled
    ? ["cp", "-a", packages, dir]
    : ["npm", "install", "--no-audit", "--no-fund", "--no-save"];
  if (isInstalled || existsSync(join(path, "package.json")))
    execFileSync(command, args, { cwd: dir, env, stdio: "ignore" });
  git(dir, "reset", "--hard", "--quiet");
  return { name: basename(path), dir, gate };
};

/** Milliseconds on the clock, and of processors in this process and those it has waited for (Linux; else 0). */
type Cost = { ms: number; cpuMs: number };

const TICK_MS = 10;

const costSoFar = (): Cost => {
  const stat = existsSync("/proc/self/stat") ? readFileSync("/proc/self/stat", "utf8") : "";
  // utime, stime, cutime, cstime: fields 14 to 17, counted behind the name in brackets
  const ticks = stat
    .slice(stat.lastIndexOf(")") + 2)
    .split(" ")
    .slice(11, 15)
    .map(Number);
  return { ms: performance.now(), cpuMs: TICK_MS * ticks.reduce((all, each) => all + each, 0) };
};

const since = (before: Cost): Cost => {
  const now = costSoFar();
  return { ms: now.ms - before.ms, cpuMs: now.cpuMs - before.cpuMs };
};

const costOf = (act: () => void): Cost => {
  const before = costSoFar();
  act();
  return since(before);
};

const MEASURES = ["ms", "cpuMs"] as const;

const measure = async ({ name, dir, gate }: Project): Promise<boolean> => {
  const port = createGit(dir, env);
  const declared = { test: { command: gate }, types: { enabled: false }, any: { enabled: false } };
  const seal = await makeSeal(
    { git: port, now: Date.now },
    { top: dir, declared, gatesRoot: dir, settings: VERIFY_DEFAULTS },
  );
  writeFileSync(join(dir, "note.mjs"), "// what a session did\n");
  git(dir, "add", "note.mjs");
  git(dir, "commit", "--quiet", "--message", "work");
  const plain: Cost[] = [];
  const ours: Cost[] = [];
  let runs = 1;
  for (let round = 0; round < ROUNDS; round++) {
    const checkout = join(folder, `checkout-${round}`);
    const added = costOf(() => git(dir, "worktree", "add", "--quiet", "--detach", checkout, "HEAD"));
    if (existsSync(join(dir, "node_modules")))
      symlinkSync(join(dir, "node_modules"), join(checkout, "node_modules"));
    const runGate = (): Cost =>
      costOf(() => execFileSync("sh", ["-c", gate], { cwd: checkout, env, stdio: "ignore" }));
    const gated = [runGate(), runGate()]; // the second finds what the first one compiled
    git(dir, "worktree", "remove", "--force", checkout);
    const before = costSoFar();
    const judged = await judge(
      {
        env,
        git: port,
        clock: systemClock,
        signal: new AbortController().signal,
        runGates: (asked) => runGatesOf({ clock: systemClock }, asked),
      },
      { dir, gatesRoot: dir, seal, task: "bench", gateTimeoutMs: 600_000 },
    );
    ours.push(since(before));
    if (judged?.verdict.word !== "complete")
      throw new Error(`${name}: ${JSON.stringify(judged?.verdict.reasons)} ${judged?.answer?.report}`);
    // The tests of the new code once more, with those of the base; the base's own results are kept.
    runs = judged.verdict.tests ? 2 : 1;
    const counted = [added, ...gated.slice(0, runs)];
    const sum = (measure: keyof Cost): number => counted.reduce((all, cost) => all + cost[measure], 0);
    plain.push({ ms: sum("ms"), cpuMs: sum("cpuMs") });
  }
  const [time, cpu] = MEASURES.map((measure) => ({
    ours: median(ours.map((cost) => cost[measure])),
    plain: median(plain.map((cost) => cost[measure])),
    ratio: median(ours.map((cost, round) => cost[measure] / (plain[round]?.[measure] || Infinity))),
  }));
  if (!time || !cpu) return false;
  const load = loadavg()[0]?.toFixed(1) ?? "?";
  const what = runs === 2 ? "gates, the tests beside the base's," : "gates";
  console.log(
    `${name}: verdict ${time.ours.toFixed(0)} ms (processors ${cpu.ours.toFixed(0)} ms); ${what} and a checkout ${time.plain.toFixed(0)} ms (${cpu.plain.toFixed(0)} ms): ${time.ratio.toFixed(2)} times on the clock, ${cpu.ratio.toFixed(2)} of processors (budget ${BUDGET} on the clock, ${time.ratio <= BUDGET ? "within" : "OVER"}; load ${load})`,
  );
  return time.ratio <= BUDGET;
};

try {
  const named = (process.env["VERDICT_REPOSITORIES"] ?? "").split(";").filter(Boolean);
  const projects = named.length > 0 ? named.map(takeRepository) : [20, 1_000, 5_000].map(makeProject);
  let isWithin = true;
  for (const project of projects) isWithin = (await measure(project)) && isWithin;
  process.exitCode = isWithin ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
