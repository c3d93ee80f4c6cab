// Budget: agent-search with a warm index, the whole process, against `rg -l` over the same transcripts: on Bun
// not slower; four times the corpus costs at most 1.3x; on Node at most three times `node -e 0`; seeing that
// nothing has changed in 300 files takes at most 30 ms.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { cpus, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { conversationPorts } from "../conversations/ports.ts";
import { indexFolder } from "../conversations/search-as-it-is.ts";
import { openFootprint } from "../conversations/search-index/footprint.ts";
import { readStored } from "../conversations/search-index/manifest.ts";
import { findUnchanged } from "../conversations/search-index/plan.ts";
import { writeTranscripts } from "./transcripts.ts";

const MEGABYTES = Number(process.env["NIGHTSHIFT_BENCH_MB"] ?? 500);
const ROUNDS = Number(process.env["NIGHTSHIFT_BENCH_ROUNDS"] ?? 15);
const COMMAND = join(import.meta.dirname, "../dist/scripts/agent-search.js");
/** One generation has it; some files; nobody; nearly every file; nearly every line. */
const PATTERNS = ["needle7q", "race condition", "zzzqqq", "shadow branch", "the"];
/** So long a folder counts as just changed, and the next search lists all anew. */
const SETTLED_MS = 3_500;

const root = mkdtempSync(join(tmpdir(), "nightshift-bench-"));
const cleanEnv = (home: string) => ({ HOME: home, PATH: process.env["PATH"] ?? "" });

const time = (command: string, args: string[], home: string): number => {
  const start = performance.now();
  const { error } = spawnSync(command, args, { env: cleanEnv(home), stdio: ["ignore", "pipe", "pipe"] });
  if (error) throw error;
  return performance.now() - start;
};

const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

/** Medians of several commands, taken in turn so that a busy moment of the machine hits all alike; the first round warms up. */
const compare = (commands: Record<string, () => number>): Record<string, number> => {
  const times = Object.fromEntries(Object.keys(commands).map((name) => [name, [] as number[]]));
  for (let round = 0; round <= ROUNDS; round += 1)
    for (const [name, run] of Object.entries(commands)) {
      const ms = run();
      if (round > 0) times[name]?.push(ms);
    }
  return Object.fromEntries(Object.entries(times).map(([name, values]) => [name, median(values)]));
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
  await new Promise((resolve) => setTimeout(resolve, SETTLED_MS));
  for (const home of [small, large]) time(process.execPath, [COMMAND, "zzzqqq"], home);
  console.log(
    `${cpus().length} cores, load ${loadavg()[0]?.toFixed(1)} at the start; medians of ${ROUNDS} whole processes taken in turn`,
  );
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
  const folder = indexFolder(ports);
  const stored = readStored(folder);
  if (!stored) throw new Error("no index");
  const files = stored.paths.length;
  const measure = async (isSame: () => Promise<boolean>): Promise<[string, string]> => {
    const times: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const from = performance.now();
      if (!(await isSame())) throw new Error("the index is not up to date");
      times.push(((performance.now() - from) / files) * 300);
    }
    return [ms(times[0]), ms(median(times))];
  };
  const asItIs = await measure(async () => {
    const footprint = openFootprint(folder, ports);
    const isSame = footprint?.isSame() === true;
    footprint?.close();
    return isSame;
  });
  const listed = await measure(async () => (await findUnchanged(stored, ports)) !== undefined);
  console.log(
    `nothing has changed, for 300 files: ${asItIs[0]} the first time, ${asItIs[1]} after; by listing all anew ${listed[0]}, ${listed[1]} (budget 30 ms); load ${loadavg()[0]?.toFixed(1)} at the end`,
  );
} finally {
  rmSync(root, { recursive: true, force: true });
}
