// The memory on PostgreSQL beside the memory on SQLite: /inject with a 2 KB context and /learn, over HTTP, with
// one server and with three behind clients that go round them.
// Run with: node bench/run.mjs memory-postgres      (or: npx bun bench/memory-postgres.ts [learnings])
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { cpus, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { findPostgres, postgresVersion } from "../test/postgres/find-postgres.ts";
import { startPostgres } from "../test/postgres/start-postgres.ts";

const LEARNINGS = Number(process.argv[2] ?? 10_000);
const ROUNDS = 3;
const INJECTIONS = 300;
const WRITES = 200;
const CLIENTS = 8;
const root = join(import.meta.dirname, "..");
const isBun = "Bun" in globalThis;

/** A repeatable random number, so that every run asks the same. */
const createRandom = (seed: number) => () => {
  seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
  return seed / 2 ** 32;
};
const random = createRandom(7);
const SYLLABLES = "ba co di fu ga ho ji ka le mo nu pa qui ro su ta ve wo xi yo zu tra ple sti gro".split(
  " ",
);
// 20,000 made-up words whose frequencies fall off as they do in prose.
const WORDS = Array.from({ length: 20_000 }, () =>
  Array.from(
    { length: 2 + Math.floor(random() * 3) },
    () => SYLLABLES[Math.floor(random() * SYLLABLES.length)],
  ).join(""),
);
const word = (): string => WORDS[Math.floor(WORDS.length ** random()) - 1] ?? "ba";
const words = (count: number): string => Array.from({ length: count }, word).join(" ");
const CONTEXTS = Array.from({ length: INJECTIONS }, () => words(280).slice(0, 2048));

const quantile = (times: readonly number[], q: number): string =>
  ([...times].sort((a, b) => a - b)[Math.min(times.length - 1, Math.floor(q * times.length))] ?? 0).toFixed(
    2,
  );
const describe = (times: readonly number[]): string =>
  `p50 ${quantile(times, 0.5)} ms, p95 ${quantile(times, 0.95)} ms`;

type Server = { url: string; stop: () => Promise<void> };

const startServer = async (
  folder: string,
  at: number,
  env: Record<string, string | undefined>,
): Promise<Server> => {
  const command = isBun ? "server/main.ts" : "dist/server/main.js";
  const child = spawn(process.execPath, [command], {
    cwd: root,
    env: {
      PATH: process.env["PATH"],
      HOME: folder,
      NIGHTSHIFT_HOME: join(folder, `server-${at}`),
      PORT: "0",
      MEMORY_API_KEY_FILE: join(folder, "key"),
      LOG_LEVEL: "warn",
      MEMORY_WRITES_PER_MINUTE: "1000000",
      ...env,
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const url = await new Promise<string>((resolve, reject) => {
    child.once("exit", () => reject(new Error("the server did not start")));
    child.stdout.on("data", (chunk: Buffer) => {
      const found = /http:\S+/.exec(String(chunk))?.[0];
      if (found) resolve(found);
    });
  });
  const exited = new Promise((resolve) => child.once("exit", resolve));
  return {
    url,
    stop: async () => {
      child.kill("SIGTERM");
      await exited;
    },
  };
};

const post = async (url: string, key: string, body: string): Promise<number> => {
  const startedAt = performance.now();
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${key}` },
    body,
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${text}`);
  return performance.now() - startedAt;
};

const injection = (context: string): string =>
  JSON.stringify({ context, format: "prompt", limit: 5, minStrength: 0 });
const learning = (): string => JSON.stringify({ trigger: words(8), learning: words(25) });

/** Each request after the other, then the same from several clients; the servers in turn. */
const measure = async (servers: readonly Server[], path: string, bodies: readonly string[], key: string) => {
  const urlOf = (at: number): string => `${servers[at % servers.length]?.url}${path}`;
  const times: number[] = [];
  for (const [at, body] of bodies.entries()) times.push(await post(urlOf(at), key, body));
  const more = path === "/learn" ? bodies.map(learning) : bodies;
  const startedAt = performance.now();
  await Promise.all(
    Array.from({ length: CLIENTS }, async (_, lane) => {
      for (let at = lane; at < more.length; at += CLIENTS) await post(urlOf(at), key, more[at] ?? "");
    }),
  );
  return { times, perSecond: (1000 * more.length) / (performance.now() - startedAt) };
};

const bench = async (
  name: string,
  count: number,
  environment: () => Promise<Record<string, string>>,
): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), "nightshift-bench-"));
  const env = await environment();
  const servers: Server[] = [];
  try {
    for (let at = 0; at < count; at++) servers.push(await startServer(folder, at, env));
    const key = readFileSync(join(folder, "key"), "utf8").trim();
    const startedAt = performance.now();
    for (let at = 0; at < LEARNINGS; at += 5000)
      await post(
        `${servers[0]?.url}/learnings/import`,
        key,
        Array.from({ length: Math.min(5000, LEARNINGS - at) }, learning).join("\n"),
      );
    const loadSeconds = (performance.now() - startedAt) / 1000;
    for (const { url } of servers)
      for (const context of CONTEXTS.slice(0, 50)) await post(`${url}/inject`, key, injection(context));
    console.log(`${name}, ${count === 1 ? "one server" : `${count} servers`}`);
    console.log(`  import of ${LEARNINGS} learnings ${loadSeconds.toFixed(1)} s`);
    for (let round = 1; round <= ROUNDS; round++) {
      const inject = await measure(servers, "/inject", CONTEXTS.map(injection), key);
      const learn = await measure(servers, "/learn", Array.from({ length: WRITES }, learning), key);
      console.log(
        `  /inject ${describe(inject.times)}; ${inject.perSecond.toFixed(0)}/s with ${CLIENTS} clients   /learn ${describe(learn.times)}; ${learn.perSecond.toFixed(0)}/s`,
      );
    }
  } finally {
    for (const server of servers) await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
};

const bin = findPostgres();
console.log(
  `${isBun ? `Bun ${process.versions["bun"]}` : `Node ${process.versions.node}`}, ${bin === undefined ? "no PostgreSQL here" : postgresVersion(bin)}, ${cpus().length} cores, load ${loadavg()[0]?.toFixed(1)}`,
);
await bench("SQLite", 1, async () => ({}));
if (bin !== undefined) {
  const postgres = await startPostgres({ fsync: true, settings: { shared_buffers: "256MB" } });
  try {
    for (const count of [1, 3])
      await bench("PostgreSQL", count, async () => ({ DATABASE_URL: await postgres.createDatabase() }));
  } finally {
    await postgres.stop();
  }
}
console.log(`load at the end ${loadavg()[0]?.toFixed(1)}`);
