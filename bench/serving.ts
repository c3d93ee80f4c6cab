// Serving an 8 KiB published file beside nginx (one worker) and Caddy (one core): requests a second and CPU a request.
// Run with: node bench/run.mjs serving      (needs wrk; peers that are not installed are left out)
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createPublisher } from "../server/fixtures/http-client.ts";
import { CADDY, NGINX, startCaddy, startNginx } from "../server/fixtures/peer-server.ts";
import { readPort } from "../server/fixtures/test-server.ts";

const ROUNDS = 5;
const SECONDS = 2;
const TICK_MS = 10;
const root = join(import.meta.dirname, "..");
const text = Array.from({ length: 600 }, (_, index) => `<p>paragraph ${index * 7919}</p>`).join("\n");
const files = {
  "index.html": "<h1>bench</h1>",
  "page.html": text.slice(0, 8192),
  "blob.bin": Buffer.alloc(8192, 7),
};

type Contender = {
  name: string;
  port: number;
  host: string;
  pids: () => number[];
  stop: () => Promise<void> | void;
};
type Figures = { perSecond: number; cpuMicros: number };

/** A process and everything it started. */
const treeOf = (pid: number): number[] => {
  const parents = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
  const children = parents.filter((candidate) => {
    try {
      return Number(readFileSync(`/proc/${candidate}/stat`, "utf8").split(") ")[1]?.split(" ")[1]) === pid;
    } catch {
      return false;
    }
  });
  return [pid, ...children];
};

const cpuMs = (pids: readonly number[]): number =>
  pids.reduce((total, pid) => {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
    return total + (Number(fields[11]) + Number(fields[12])) * TICK_MS;
  }, 0);

const measure = ({ port, host, pids }: Contender, path: string, headers: string[]): Figures => {
  const before = cpuMs(pids());
  const words = [
    "-t1",
    "-c32",
    `-d${SECONDS}s`,
    "-H",
    `Host: ${host}`,
    ...headers.flatMap((header) => ["-H", header]),
  ];
  const { stdout } = spawnSync("wrk", [...words, `http://127.0.0.1:${port}${path}`], { encoding: "utf8" });
  const requests = Number(/(\d+) requests in/.exec(stdout)?.[1]);
  const failed = /Non-2xx|Socket errors/.exec(stdout);
  if (failed) throw new Error(stdout);
  return {
    perSecond: Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)?.[1]),
    cpuMicros: ((cpuMs(pids()) - before) * 1000) / requests,
  };
};

const startOurs = async (runtime: "bun" | "node"): Promise<Contender> => {
  const home = mkdtempSync(join(tmpdir(), "nightshift-bench-"));
  const words = runtime === "bun" ? ["server/main.ts"] : ["dist/server/main.js"];
  const child = spawn(runtime === "bun" ? process.execPath : "node", words, {
    cwd: root,
    env: {
      ...process.env,
      HOME: home,
      NIGHTSHIFT_HOME: home,
      MEMORY_API_KEY_FILE: join(home, "key"),
      PORT: "0",
      LOG_LEVEL: "error",
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const port = await readPort(child);
  await createPublisher(port, readFileSync(join(home, "admin-token"), "utf8").trim()).publish("bench", files);
  return {
    name: `ours on ${runtime}`,
    port,
    host: `bench.localhost:${port}`,
    pids: () => [child.pid ?? 0],
    stop: () => {
      child.kill("SIGKILL");
      rmSync(home, { recursive: true, force: true });
    },
  };
};

const startPeer = async (name: string, start: typeof startNginx): Promise<Contender> => {
  const { port, pid, stop } = await start(files);
  return { name, port, host: `localhost:${port}`, pids: () => treeOf(pid), stop };
};

if (spawnSync("wrk", ["-v"]).error) {
  console.log("skipped: wrk is not installed");
  process.exit(0);
}
const contenders: Contender[] = [
  ...(NGINX ? [await startPeer("nginx", startNginx)] : []),
  ...(CADDY ? [await startPeer("Caddy", startCaddy)] : []),
  await startOurs("bun"),
  ...(existsSync(join(root, "dist/server/main.js")) ? [await startOurs("node")] : []),
];
const best = (rounds: readonly Figures[]): Figures => ({
  perSecond: Math.max(...rounds.map(({ perSecond }) => perSecond)),
  cpuMicros: Math.min(...rounds.map(({ cpuMicros }) => cpuMicros)),
});

for (const [title, path, headers] of [
  ["8 KiB file", "/blob.bin", []],
  ["8 KiB page, br accepted", "/page.html", ["Accept-Encoding: gzip, deflate, br"]],
] as const) {
  console.log(`${title} (best of ${ROUNDS} rounds in turn, wrk -t1 -c32)`);
  const rounds = new Map(contenders.map(({ name }) => [name, [] as Figures[]]));
  for (let round = 0; round < ROUNDS; round++)
    for (const contender of contenders)
      rounds.get(contender.name)?.push(measure(contender, path, [...headers]));
  const nginx = rounds.has("nginx") ? best(rounds.get("nginx") ?? []) : undefined;
  for (const [name, figures] of rounds) {
    const { perSecond, cpuMicros } = best(figures);
    const ratio = nginx
      ? `  ${(perSecond / nginx.perSecond).toFixed(2)}x nginx's rate, ${(nginx.cpuMicros / cpuMicros).toFixed(2)}x by CPU`
      : "";
    console.log(
      `  ${name.padEnd(14)} ${Math.round(perSecond).toString().padStart(6)} req/s  ${cpuMicros.toFixed(1).padStart(5)} µs CPU each${ratio}`,
    );
  }
}
for (const { stop } of contenders) await stop();
process.exit(0);
