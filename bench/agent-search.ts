// Budget: agent-search with a warm index, the whole process, against `rg -l` over the same transcripts: on Bun
// not slower; four times the corpus costs at most 1.3x; on Node at most three times `node -e 0`; seeing that
// nothing has changed in 300 files takes at most 30 ms.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { conversationPorts } from "../conversations/ports.ts";
import { indexFolder } from "../conversations/search-as-it-is.ts";
import { readStored } from "../conversations/search-index/manifest.ts";
import { findUnchanged } from "../conversations/search-index/plan.ts";
import { writeTranscripts } from "./transcripts.ts";

const MEGABYTES = Number(process.env["NIGHTSHIFT_BENCH_MB"] ?? 500);
const ROUNDS = Number(process.env["NIGHTSHIFT_BENCH_ROUNDS"] ?? 15);
const COMMAND = join(import.meta.dirname, "../dist/scripts/agent-search.js");
const PATTERNS = ["needle7q", "race condition", "zzzqqq", "shadow branch"];

const root = mkdtempSync(join(tmpdir(), "nightshift-bench-"));
const cleanEnv = (home: string) => ({ HOME: home, PATH: process.env["PATH"] ?? "" });

const time = (command: string, args: string[], home: string): number => {
  const start = performance.now();
  const { error } = spawnSync(command, args, { env: cleanEnv(home), stdio: ["ignore", "pipe", "pipe"] });
  if (error) throw error;
  return performance.now() - start;
};

/** The fastest quarter's slowest: what a command costs, with little of what else the machine was doing. */
const quartile = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 4)] ?? 0;

/** Lower quartiles of several commands, taken in turn so that a busy moment of the machine hits all alike. */
const compare = (commands: Record<string, () => number>): Record<string, number> => {
  const times = Object.fromEntries(Object.keys(commands).map((name) => [name, [] as number[]]));
  for (let round = 0; round < ROUNDS; round += 1)
    for (const [name, run] of Object.entries(commands)) times[name]?.push(run());
  return Object.fromEntries(Object.entries(times).map(([name, values]) => [name, quartile(values)]));
};

const ms = (value: number | undefined): string => `${(value ?? 0).toFixed(1)} ms`;
const hasRipgrep = !spawnSync("rg", ["--version"]).error;

const makeHome = (name: string, megabytes: number): string => {
  const home = join(root, name);
  mkdirSync(home, { recursive: true });
  const files = writeTranscripts(home, megabytes);
  const start = performance.now();
  const built = spawnSync(process.execPath, [COMMAND, "zzzqqq", "--json"], { env: cleanEnv(home) });
  const seconds = (performance.now() - start) / 1000;
  console.log(
    `${name}: ${megabytes} MB in ${files} transcripts, first build ${seconds.toFixed(1)} s, exit ${built.status}`,
  );
  return home;
};

try {
  const small = makeHome("small", MEGABYTES);
  const large = makeHome("large", MEGABYTES * 4);
  for (const pattern of PATTERNS) {
    const found = compare({
      bun: () => time(process.execPath, [COMMAND, pattern], small),
      "bun, 4x": () => time(process.execPath, [COMMAND, pattern], large),
      node: () => time("node", [COMMAND, pattern], small),
      "empty node": () => time("node", ["-e", "0"], small),
      ...(hasRipgrep
        ? { rg: () => time("rg", ["-l", "--hidden", pattern, join(small, ".claude")], small) }
        : {}),
    });
    const { bun = 0, node = 0, rg } = found;
    console.log(
      `${JSON.stringify(pattern)}: bun ${ms(bun)}, four times the corpus ${ms(found["bun, 4x"])} (${((found["bun, 4x"] ?? 0) / bun).toFixed(2)}x, budget 1.3x), node ${ms(node)} (${(node / (found["empty node"] ?? 1)).toFixed(2)}x of \`node -e 0\`, budget 3x), ${rg === undefined ? "rg is not installed" : `rg -l ${ms(rg)} (${(bun / rg).toFixed(2)}x of it, budget 1x)`}`,
    );
  }
  const ports = conversationPorts({ HOME: small });
  const stored = readStored(indexFolder(ports));
  if (!stored) throw new Error("no index");
  const refresh = await (async () => {
    const times: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const from = performance.now();
      if (!(await findUnchanged(stored, ports))) throw new Error("the index is not up to date");
      times.push(performance.now() - from);
    }
    return times;
  })();
  const per300 = (value: number) => (value / stored.paths.length) * 300;
  console.log(
    `nothing has changed: ${ms(per300(refresh[0] ?? 0))} for 300 files the first time, ${ms(per300(quartile(refresh)))} after (budget 30 ms)`,
  );
} finally {
  rmSync(root, { recursive: true, force: true });
}
