// Publishing on PostgreSQL beside SQLite, with one server and with three: activating, serving, uploading, and how
// soon the other servers follow. Run with: node bench/run.mjs publishing-postgres   (needs PostgreSQL; wrk for serving)
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createPublisher, type Publisher } from "../server/fixtures/http-client.ts";
import { readPort } from "../server/fixtures/test-server.ts";
import { hasPostgres } from "../test/postgres/find-postgres.ts";
import { startPostgres } from "../test/postgres/start-postgres.ts";

const SERIAL = 100;
const CLIENTS = 8;
const PARALLEL_MS = 4000;
const WRK_SECONDS = 3;
const root = join(import.meta.dirname, "..");
const work = mkdtempSync(join(tmpdir(), "nightshift-bench-"));

type Fleet = { name: string; ports: number[]; publishers: Publisher[]; stop: () => Promise<void> };

const startServers = async (name: string, count: number, url: string | undefined): Promise<Fleet> => {
  const children: ChildProcess[] = [];
  const ports: number[] = [];
  const homeOf = (index: number) => join(work, `${name} ${index}`);
  for (let index = 0; index < count; index++) {
    const child = spawn(process.execPath, ["server/main.ts"], {
      cwd: root,
      env: {
        PATH: process.env["PATH"],
        HOME: work,
        NIGHTSHIFT_HOME: homeOf(index),
        MEMORY_API_KEY_FILE: join(work, "key"),
        PORT: "0",
        LOG_LEVEL: "error",
        ...(url === undefined ? {} : { DATABASE_URL: url }),
      },
      stdio: ["ignore", "pipe", "inherit"],
    });
    children.push(child);
    ports.push(await readPort(child));
  }
  const token = readFileSync(join(homeOf(0), "admin-token"), "utf8").trim();
  return {
    name,
    ports,
    publishers: ports.map((port) => createPublisher(port, token)),
    stop: async () => {
      for (const child of children) {
        child.kill("SIGTERM");
        await once(child, "exit");
      }
    },
  };
};

const share = (values: readonly number[], part: number): string =>
  (values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) * part)] ?? 0).toFixed(1);

/** Two deployments of a site that are put live in turn. */
const publishPair = async (publisher: Publisher, site: string): Promise<[string, string]> => [
  await publisher.publish(site, { "index.html": `${site} a`, "blob.bin": Buffer.alloc(8192, 7) }),
  await publisher.publish(site, { "index.html": `${site} b`, "blob.bin": Buffer.alloc(8192, 7) }),
];

const activate = async (publisher: Publisher, id: string): Promise<void> => {
  const { status, text } = await publisher.activate(id);
  if (status !== 200) throw new Error(text);
};

const measureActivation = async ({ name, publishers }: Fleet): Promise<void> => {
  const [first] = publishers as [Publisher];
  const pair = await publishPair(first, "serial");
  const times: number[] = [];
  for (let n = 0; n < SERIAL; n++) {
    const startedAt = performance.now();
    await activate(publishers[n % publishers.length] ?? first, pair[n % 2] ?? "");
    times.push(performance.now() - startedAt);
  }
  const pairs = await Promise.all(
    Array.from({ length: CLIENTS }, (_, client) => publishPair(first, `site-${client}`)),
  );
  const until = performance.now() + PARALLEL_MS;
  let done = 0;
  await Promise.all(
    pairs.map(async (ids, client) => {
      for (let n = 0; performance.now() < until; n++, done++)
        await activate(publishers[client % publishers.length] ?? first, ids[n % 2] ?? "");
    }),
  );
  console.log(
    `  ${name.padEnd(24)} one after another p50 ${share(times, 0.5)} ms, p95 ${share(times, 0.95)} ms; ${CLIENTS} clients ${Math.round((done * 1000) / PARALLEL_MS)}/s`,
  );
};

const measureServing = async ({ name, ports }: Fleet): Promise<void> => {
  const rates = await Promise.all(
    ports.map(async (port) => {
      const words = ["-t1", `-c${Math.ceil(32 / ports.length)}`, `-d${WRK_SECONDS}s`];
      const child = spawn("wrk", [
        ...words,
        "-H",
        "Host: serial.localhost",
        `http://127.0.0.1:${port}/blob.bin`,
      ]);
      let text = "";
      child.stdout.on("data", (chunk: Buffer) => (text += String(chunk)));
      await once(child, "close");
      if (/Non-2xx|Socket errors/.test(text)) throw new Error(text);
      return Number(/Requests\/sec:\s+([\d.]+)/.exec(text)?.[1]);
    }),
  );
  const total = rates.reduce((sum, rate) => sum + rate, 0);
  console.log(`  ${name.padEnd(24)} ${Math.round(total)} requests/s`);
};

const measureUpload = async ({ name, publishers }: Fleet): Promise<void> => {
  const files = Object.fromEntries(
    Array.from({ length: 500 }, (_, index) => [
      index === 0 ? "index.html" : `file-${index}.bin`,
      Buffer.alloc(100 * 1024, `${name} ${index} `),
    ]),
  );
  const [first] = publishers as [Publisher];
  const startedAt = performance.now();
  const created = await first.create("large", files);
  const queue = created.missing.values();
  await Promise.all(
    Array.from({ length: CLIENTS }, async (_, client) => {
      for (const { path } of queue) {
        const publisher = publishers[client % publishers.length] ?? first;
        const { status, text } = await publisher.put(created.deployment.id, path, files[path] ?? "");
        if (status !== 200) throw new Error(text);
      }
    }),
  );
  await activate(first, created.deployment.id);
  console.log(`  ${name.padEnd(24)} ${((performance.now() - startedAt) / 1000).toFixed(2)} s`);
};

/** From the answer to an activation on one server to the first answer of another that has it. */
const measureFollowing = async ({ publishers }: Fleet): Promise<void> => {
  const [a, b] = publishers as [Publisher, Publisher];
  const pair = await publishPair(a, "followed");
  await b.visit("followed", "/");
  const times: number[] = [];
  for (let n = 0; n < SERIAL; n++) {
    const id = pair[n % 2] ?? "";
    await activate(a, id);
    const startedAt = performance.now();
    while ((await b.visit("followed", "/")).headers["x-deployment-id"] !== id);
    times.push(performance.now() - startedAt);
  }
  console.log(
    `  another server follows an activation after p50 ${share(times, 0.5)} ms, p95 ${share(times, 0.95)} ms, most ${share(times, 1)} ms`,
  );
};

if (!hasPostgres) {
  console.log("skipped: PostgreSQL is not installed");
  process.exit(0);
}
const postgres = await startPostgres({ fsync: true });
const load = () => readFileSync("/proc/loadavg", "utf8").split(" ")[0];
console.log(`load ${load()}`);
const fleets: (() => Promise<Fleet>)[] = [
  () => startServers("SQLite", 1, undefined),
  async () => startServers("PostgreSQL, one server", 1, await postgres.createDatabase()),
  async () => startServers("PostgreSQL, three", 3, await postgres.createDatabase()),
];
// All of them up, so that each figure of one kind is taken a moment after the other.
const running: Fleet[] = [];
for (const start of fleets) running.push(await start());
console.log("activation, answered when it is durable and served:");
for (const fleet of running) await measureActivation(fleet);
for (const fleet of running.filter(({ ports }) => ports.length > 1)) await measureFollowing(fleet);
console.log("serving an 8 KiB file, wrk -t1, 32 connections in all:");
for (const fleet of running) await measureServing(fleet);
console.log(`publishing 500 files, 50 MiB, ${CLIENTS} at once:`);
for (const fleet of running) await measureUpload(fleet);
console.log(`load ${load()}`);
for (const fleet of running) await fleet.stop();
await postgres.stop();
rmSync(work, { recursive: true, force: true });
process.exit(0);
