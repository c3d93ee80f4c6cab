// The memory on PostgreSQL beside the memory on SQLite: /inject with a 2 KB context and /learn, over HTTP, with
// one server and with three behind clients that go round them.
// Run with: node bench/run.mjs memory-postgres      (or: npx bun bench/memory-postgres.ts [learnings])
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { cpus, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { findPostgres, postgresVersion } from "../test/postgres/find-postgres.ts";
import { startPostgres } from "../test/postgres/start-postgres.ts";
import {
  type BenchServer,
  describeTimes,
  importLearnings,
  injection,
  isBun,
  makeContext,
  makeLearning,
  post,
  startBenchServer,
} from "./parts/memory-load.ts";

const LEARNINGS = Number(process.argv[2] ?? 10_000);
const ROUNDS = 3;
const INJECTIONS = 300;
const WRITES = 200;
const CLIENTS = 8;
const CONTEXTS = Array.from({ length: INJECTIONS }, makeContext);

/** Each request after the other, then the same from several clients; the servers in turn. */
const measure = async (
  servers: readonly BenchServer[],
  path: string,
  bodies: readonly string[],
  key: string,
) => {
  const urlOf = (at: number): string => `${servers[at % servers.length]?.url}${path}`;
  const times: number[] = [];
  for (const [at, body] of bodies.entries()) times.push(await post(urlOf(at), key, body));
  const more = path === "/learn" ? bodies.map(makeLearning) : bodies;
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
  const servers: BenchServer[] = [];
  try {
    for (let at = 0; at < count; at++)
      servers.push(await startBenchServer(folder, { ...env, NIGHTSHIFT_HOME: join(folder, `server-${at}`) }));
    const key = readFileSync(join(folder, "key"), "utf8").trim();
    const loadSeconds = (await importLearnings(servers[0]?.url ?? "", key, LEARNINGS)) / 1000;
    for (const { url } of servers)
      for (const context of CONTEXTS.slice(0, 50)) await post(`${url}/inject`, key, injection(context));
    console.log(`${name}, ${count === 1 ? "one server" : `${count} servers`}`);
    console.log(`  import of ${LEARNINGS} learnings ${loadSeconds.toFixed(1)} s`);
    for (let round = 1; round <= ROUNDS; round++) {
      const inject = await measure(servers, "/inject", CONTEXTS.map(injection), key);
      const learn = await measure(servers, "/learn", Array.from({ length: WRITES }, makeLearning), key);
      console.log(
        `  /inject ${describeTimes(inject.times)}; ${inject.perSecond.toFixed(0)}/s with ${CLIENTS} clients   /learn ${describeTimes(learn.times)}; ${learn.perSecond.toFixed(0)}/s`,
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
