// Budget: agent-search with a warm index, the whole process, against `rg -l` over the same transcripts: on Bun
// not slower; four times the corpus costs at most 1.3x; on Node at most three times `node -e 0`; seeing that
// nothing has changed in 300 files takes at most 30 ms.
import { spawnSync } from "bun";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { cpus, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { conversationPorts } from "../conversations/ports.ts";
import { indexFolder } from "../conversations/search-as-it-is.ts";
import { openFootprint } from "../conversations/search-index/footprint.ts";
import { readStored } from "../conversations/search-index/manifest.ts";
import { findUnchanged } from "../conversations/search-index/plan.ts";
import { cleanEnv } from "./parts/measure.ts";
import { writeTranscripts } from "./parts/transcripts.ts";

const MEGABYTES = Number(process.env["NIGHTSHIFT_BENCH_MB"] ?? 500);
const ROUNDS = Number(process.env["NIGHTSHIFT_BENCH_ROUNDS"] ?? 15);
const COMMAND = join(import.meta.dirname, "../dist/scripts/agent-search.js");
/** One generation has it; some files; nobody; nearly every file; nearly every line. */
const PATTERNS = ["needle7q", "race condition", "zzzqqq", "shadow branch", "the"];
/** So long a folder counts as just changed, and the next search lists all anew. */
const SETTLED_MS = 3_500;

const root = mkdtempSync(join(tmpdir(), "nightshift-bench-"));

/** By the clock, and of the processor: user and system, of all its threads. */
type Time = { wallMs: number; cpuMs: number };

const time = (command: string, args: string[], home: string): Time => {
  const start = performance.now();
  const { resourceUsage } = spawnSync([command, ...args], {
    env: cleanEnv(home),
    stdio: ["ignore", "pipe", "pipe"],
  });
  return { wallMs: performance.now() - start, cpuMs: Number(resourceUsage.cpuTime.total) / 1000 };
};

const rankOf = (values: readonly number[], share: number): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length * share)] ?? 0;
const median = (values: readonly number[]): number => rankOf(values, 1 / 2);
/** What other work on the machine adds is never less than nothing. */
const lowerQuartile = (values: readonly number[]): number => rankOf(values, 1 / 4);

/** Lower quartiles of several commands, taken in turn so that a busy moment of the machine hits all alike; the first round warms up. */
const compare = (commands: Record<string, () => Time>): ((name: string, by: keyof Time) => number) => {
  const times = new Map(Object.keys(commands).map((name) => [name, [] as Time[]]));
  for (let round = 0; round <= ROUNDS; round += 1)
    for (const [name, run] of Object.entries(commands)) {
      const taken = run();
      if (round > 0) times.get(name)?.push(taken);
    }
  return (name, by) => lowerQuartile((times.get(name) ?? []).map((each) => each[by]));
};

const ms = (value: number | undefined): string => `${(value ?? 0).toFixed(1)} ms`;
const hasRipgrep = Bun.which("rg") !== null;

const makeHome = (name: string, megabytes: number): string => {
  const home = join(root, name);
  mkdirSync(home, { recursive: true });
  const files = writeTranscripts(home, megabytes);
  const start = performance.now();
  const built = spawnSync([process.execPath, COMMAND, "zzzqqq", "--json"], { env: cleanEnv(home) });
  const seconds = (performance.now() - start) / 1000;
  console.log(
    `${name}: ${megabytes} MB in ${files} transcripts, first build ${seconds.toFixed(1)} s, exit ${built.exitCode}`,
  );
  return home;
};

try {
  const small = makeHome("small", MEGABYTES);
  const large = makeHome("large", MEGABYTES * 4);
  await new Promise((resolve) => setTimeout(resolve, SETTLED_MS));
  for (const home of [small, large]) time(process.execPath, [COMMAND, "zzzqqq"], home);
  console.log(
    `${cpus().length} cores, load ${loadavg()[0]?.toFixed(1)} at the start; lower quartiles of ${ROUNDS} whole processes taken in turn`,
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
    for (const by of ["wallMs", "cpuMs"] as const) {
      const of = (name: string) => ms(found(name, by));
      const ratio = (name: string, to: string) => `${(found(name, by) / found(to, by)).toFixed(2)}x`;
      const rg = hasRipgrep
        ? `rg -l ${of("rg")} (${ratio("bun", "rg")} of it, budget 1x)`
        : "rg is not installed";
      console.log(
        `${JSON.stringify(pattern)}, ${by === "wallMs" ? "by the clock" : "processor time"}: bun ${of("bun")}, four times the corpus ${of("bun, 4x")} (${ratio("bun, 4x", "bun")}, budget 1.3x), node ${of("node")} (${ratio("node", "empty node")} of \`node -e 0\`, budget 3x), ${rg}`,
      );
    }
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
