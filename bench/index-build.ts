// Budget: building the search index costs at most three times the JSON.parse of every line. Each in a process of its
// own on Node, so that memory and collection are its own.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { writeTranscripts } from "./parts/transcripts.ts";

const MEGABYTES = Number(process.env["NIGHTSHIFT_BENCH_MB"] ?? 500);
const ROUNDS = 3;
const SEARCH = join(import.meta.dirname, "../dist/conversations/search.js");
const PORTS = join(import.meta.dirname, "../dist/conversations/ports.js");

// Processor time, user and system: other work on the machine does not count.
const CLOCK = `
const cpuMs = () => { const { user, system } = process.cpuUsage(); return (user + system) / 1000; };
const { readFileSync: read } = await import("node:fs");
// Not resourceUsage().maxRSS: on Linux that begins with the memory of the process that started this one.
const peakKib = () => Number(/VmHWM:\\s+(\\d+)/.exec(read("/proc/self/status", "utf8"))?.[1] ?? 0);`;

const PARSE = `${CLOCK}
const { readdirSync, readFileSync } = await import("node:fs");
let lines = 0;
for (const entry of readdirSync(process.env.HOME + "/.claude", { withFileTypes: true, recursive: true }))
  if (entry.name.endsWith(".jsonl"))
    for (const line of readFileSync(entry.parentPath + "/" + entry.name, "utf8").split("\\n"))
      try { if (line) { JSON.parse(line); lines += 1; } } catch {}
console.log(JSON.stringify({ ms: cpuMs(), lines, rss: peakKib() }));`;

const BUILD = `${CLOCK}
const { searchConversations } = await import(${JSON.stringify(SEARCH)});
const { conversationPorts } = await import(${JSON.stringify(PORTS)});
const { conversations } = await searchConversations({ pattern: "zzzqqq", limit: 1 }, conversationPorts(process.env));
console.log(JSON.stringify({ ms: cpuMs(), conversations, rss: peakKib() }));`;

type Outcome = { ms: number; rss: number };

const home = mkdtempSync(join(tmpdir(), "nightshift-bench-"));
const run = (script: string): Outcome => {
  rmSync(join(home, ".nightshift"), { recursive: true, force: true });
  const child = spawnSync("node", ["--input-type=module", "-e", script], {
    encoding: "utf8",
    env: { HOME: home, PATH: process.env["PATH"] ?? "" },
  });
  if (child.status !== 0) throw new Error(child.stderr);
  return JSON.parse(child.stdout) as Outcome;
};

try {
  const files = writeTranscripts(home, MEGABYTES);
  console.log(`${MEGABYTES} MB in ${files} transcripts, load ${loadavg()[0]?.toFixed(1)}`);
  const rounds = Array.from({ length: ROUNDS }, () => ({ parse: run(PARSE), build: run(BUILD) }));
  const parse = Math.min(...rounds.map((round) => round.parse.ms));
  const build = Math.min(...rounds.map((round) => round.build.ms));
  const mib = Math.max(...rounds.map((round) => round.build.rss)) / 1024;
  console.log(
    `processor time of JSON.parse of every line ${(parse / 1000).toFixed(2)} s, of the index ${(build / 1000).toFixed(2)} s, ratio ${(build / parse).toFixed(2)} (budget 3), peak ${mib.toFixed(0)} MiB; load ${loadavg()[0]?.toFixed(1)}`,
  );
} finally {
  rmSync(home, { recursive: true, force: true });
}
