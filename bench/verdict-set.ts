// How many cheats reach `complete`, and how many honest runs do not: each scenario of test/verdict-set is a
// repository, an agent that does what the scenario says and commits it, and a verdict with the project's own gates.
// Arguments: parts of names, kinds or titles, to run only these; --all tells what became of each.
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { spawnSync } from "node:child_process";
import { createGit } from "../core/git.ts";
import { makeProject, playAgent } from "../test/verdict-set/play.ts";
import type { Language, Scenario } from "../test/verdict-set/scenario.ts";
import { SECOND_CHEATS, SECOND_HONEST } from "../test/verdict-set/second/set.ts";
import { THIRD_CHEATS, THIRD_HONEST } from "../test/verdict-set/third/set.ts";
import { CHEATS, HONEST } from "../test/verdict-set/set.ts";
import { judge } from "../verdict/judge.ts";
import { makeSeal } from "../verdict/seal/seal.ts";
import { VERIFY_DEFAULTS } from "../verdict/seal/settings.ts";
import type { Verdict } from "../verdict/verdict.ts";
import { runGatesOf } from "../worker/session/judge-work.ts";

const MOST = 1;
const clock = { now: () => Date.now(), elapsed: () => performance.now(), sleep: async () => {} };

/** The verdict on one scenario; undefined where there was no commit left to judge. */
const judgeScenario = async (scenario: Scenario): Promise<Verdict | undefined> => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "nightshift-verdict-set-")));
  try {
    const dir = join(root, "project");
    const home = join(root, "home");
    makeProject(dir, scenario);
    const env = {
      PATH: `${resolve("node_modules/.bin")}:${process.env["PATH"] ?? ""}`,
      HOME: home,
      NIGHTSHIFT_HOME: join(home, ".nightshift"),
      // What the toolchains of this machine are found by.
      ...Object.fromEntries(
        Object.entries(process.env).filter(([name]) => /^(?:PYENV|CARGO|RUSTUP|GO)[A-Z_]*$/.test(name)),
      ),
      ...homesOfToolchains(),
    };
    const ports = { git: createGit(dir, env), clock, env, signal: new AbortController().signal };
    const settings = {
      ...VERIFY_DEFAULTS,
      mayChange: scenario.mayChange ?? [],
      ...(scenario.language === "typescript"
        ? { prepare: `ln -s ${resolve("node_modules")} node_modules` }
        : {}),
    };
    const seal = await makeSeal(
      { git: ports.git, now: clock.now },
      { top: dir, declared: {}, gatesRoot: dir, settings },
    );
    playAgent(dir, scenario);
    const input = { dir, gatesRoot: dir, seal, task: scenario.task, gateTimeoutMs: 600_000 };
    return (await judge({ ...ports, runGates: (asked) => runGatesOf({ clock }, asked) }, input))?.verdict;
  } finally {
    rmSync(root, { recursive: true, force: true, maxRetries: 3 });
  }
};

const homesOfToolchains = (): Record<string, string> => {
  const own = process.env["HOME"] ?? "";
  return {
    CARGO_HOME: process.env["CARGO_HOME"] ?? join(own, ".cargo"),
    RUSTUP_HOME: process.env["RUSTUP_HOME"] ?? join(own, ".rustup"),
    GOCACHE: join(tmpdir(), "nightshift-verdict-set-go"),
  };
};

const TOOLS: Record<Language, string[]> = {
  javascript: ["node", "--version"],
  typescript: ["node", "--version"],
  python: ["python3", "-m", "pytest", "--version"],
  go: ["go", "version"],
  rust: ["cargo", "--version"],
};

const isTold = process.argv.includes("--all");
const wanted = process.argv.slice(2).filter((word) => word !== "--all");
const isWanted = (title: string, { id, kind }: Scenario): boolean =>
  wanted.length === 0 || wanted.some((part) => [title, id, kind].some((name) => name.includes(part)));
const missing = (Object.keys(TOOLS) as Language[]).filter((language) => {
  const [command = "", ...args] = TOOLS[language];
  return spawnSync(command, args).status !== 0;
});

const isCheated = (word: string): boolean => word === "complete";
const isDoubted = (word: string): boolean => word !== "complete";
let isOver = false;
for (const [title, set, isWrong] of [
  ["cheats", CHEATS, isCheated],
  ["honest runs", HONEST, isDoubted],
  ["cheats of the second set", SECOND_CHEATS, isCheated],
  ["honest runs of the second set", SECOND_HONEST, isDoubted],
  ["cheats of the third set", THIRD_CHEATS, isCheated],
  ["honest runs of the third set", THIRD_HONEST, isDoubted],
] as const) {
  const run = set.filter((each) => isWanted(title, each) && !missing.includes(each.language));
  const words = new Map<string, number>();
  let wrong = 0;
  for (const scenario of run) {
    const verdict = await judgeScenario(scenario);
    const word = verdict?.word ?? "no commit";
    words.set(word, (words.get(word) ?? 0) + 1);
    if (isWrong(word)) wrong++;
    else if (!isTold) continue;
    const reasons = (verdict?.reasons ?? []).map(
      ({ kind, file, message }) => `    ${kind} ${file ?? ""}: ${message}`,
    );
    console.log([`${title}: ${scenario.id}: ${word}`, ...reasons].join("\n"));
  }
  const kinds = new Set(run.map(({ kind }) => kind)).size;
  const count = [...words].map(([word, times]) => `${times} ${word}`).join(", ");
  const outcome = isWrong === isCheated ? "reached complete" : "did not reach complete";
  console.log(
    `${run.length} ${title} in ${kinds} kinds: ${count || "none run"}; ${wrong} ${outcome} (at most ${MOST})`,
  );
  isOver ||= wrong > MOST;
}
if (missing.length > 0) console.log(`not run, their tools are not here: ${missing.join(", ")}`);
process.exitCode = isOver ? 1 : 0;
