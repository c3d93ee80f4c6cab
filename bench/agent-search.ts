// Budget: agent-search with a warm index, the whole process on Node: at most three times `node -e 0`, at most 1.3
// times itself on four times the corpus, and ahead of `rg -l` over 2 GB of the same transcripts.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { cpus, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { cleanEnv } from "./parts/measure.ts";
import { writeTranscripts } from "./parts/transcripts.ts";

const MEGABYTES = Number(process.env["NIGHTSHIFT_BENCH_MB"] ?? 500);
const ROUNDS = Number(process.env["NIGHTSHIFT_BENCH_ROUNDS"] ?? 15);
const COMMAND = join(import.meta.dirname, "../dist/scripts/agent-search.js");
/** One generation has it; some files; nobody; nearly every file; nearly every line. */
const PATTERNS = ["needle7q", "race condition", "zzzqqq", "shadow branch", "the"];

const root = mkdtempSync(join(tmpdir(), "nightshift-bench-"));

const time = (home: string, command: string, ...args: string[]): number => {
  const start = performance.now();
  const { error } = spawnSync(command, args, { env: cleanEnv(home), stdio: ["ignore", "pipe", "pipe"] });
  if (error) throw error;
  return performance.now() - start;
};

/** What other work on the machine adds is never less than nothing: hence not the median. */
const lowerQuartile = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[values.length >> 2] ?? 0;

/** Several commands in turn, so that a busy moment of the machine hits all alike; the first round warms up. */
const compare = <Name extends string>(commands: Record<Name, () => number>): Record<Name, number> => {
  const names = Object.keys(commands) as Name[];
  const rounds = Array.from({ length: ROUNDS + 1 }, () => names.map((name) => commands[name]())).slice(1);
  return Object.fromEntries(
    names.map((name, column) => [name, lowerQuartile(rounds.map((round) => round[column] ?? 0))]),
  ) as Record<Name, number>;
};

const makeHome = (name: string, megabytes: number): string => {
  const home = join(root, name);
  mkdirSync(home, { recursive: true });
  const files = writeTranscripts(home, megabytes);
  const buildMs = time(home, "node", COMMAND, "zzzqqq");
  console.log(
    `${name}: ${megabytes} MB in ${files} transcripts, indexed in ${(buildMs / 1000).toFixed(1)} s`,
  );
  return home;
};

try {
  const small = makeHome("small", MEGABYTES);
  const large = makeHome("large", MEGABYTES * 4);
  const hasRipgrep = spawnSync("rg", ["--version"]).status === 0;
  const load = () => loadavg()[0]?.toFixed(1);
  console.log(`${cpus().length} cores, load ${load()}; lower quartiles of ${ROUNDS} whole processes each`);
  for (const pattern of PATTERNS) {
    const ripgrep = (home: string) => time(home, "rg", "-l", "--hidden", pattern, join(home, ".claude"));
    const ms = compare({
      empty: () => time(small, "node", "-e", "0"),
      small: () => time(small, "node", COMMAND, pattern),
      large: () => time(large, "node", COMMAND, pattern),
      rgSmall: () => (hasRipgrep ? ripgrep(small) : 0),
      rgLarge: () => (hasRipgrep ? ripgrep(large) : 0),
    });
    const rg = hasRipgrep
      ? `rg -l ${ms.rgSmall.toFixed(0)} and ${ms.rgLarge.toFixed(0)} ms`
      : "rg is not installed";
    console.log(
      `${JSON.stringify(pattern)}: ${ms.small.toFixed(0)} ms, ${(ms.small / ms.empty).toFixed(2)}x of \`node -e 0\` (budget 3x); four times the corpus ${ms.large.toFixed(0)} ms, ${(ms.large / ms.small).toFixed(2)}x (budget 1.3x); ${rg}; load ${load()}`,
    );
  }
} finally {
  rmSync(root, { recursive: true, force: true });
}
