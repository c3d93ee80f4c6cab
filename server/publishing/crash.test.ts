// @module-tag long

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { bunBinary } from "../../test/bun.ts";
import { hasPostgres } from "../../test/postgres/find-postgres.ts";
import { usePostgres } from "../../test/postgres/use-postgres.ts";
import { createPublisher, type Files, type Publisher, sha256 } from "../fixtures/http-client.ts";
import { readPort } from "../fixtures/test-server.ts";

const KILLS = Number(process.env["NIGHTSHIFT_KILLS"] ?? (process.env["CI"] ? 50 : 16));
const READERS = 3;
const ASSETS = 4;

const ACTIVATION = ["activation-checked", "activation-committed", "activation-live"] as const;

/** Every step of an upload and of an activation; at each of them the activation is not yet acknowledged. */
const STEPS = {
  SQLite: ["blob-written", "blob-synced", "blob-renamed", "blob-durable", ...ACTIVATION],
  PostgreSQL: ["blob-written", "blob-durable", ...ACTIVATION],
} as const;

const postgres = usePostgres();

type Running = { child: ChildProcess; publisher: Publisher; token: string };

const planFile = (home: string): string => join(home, "plan");

const start = async (home: string, url: string | undefined): Promise<Running> => {
  const child = spawn(bunBinary(), [resolve(import.meta.dirname, "../fixtures/crash-server.ts")], {
    env: {
      PATH: process.env["PATH"] ?? "",
      HOME: home,
      NIGHTSHIFT_HOME: join(home, "data"),
      MEMORY_API_KEY_FILE: join(home, "key"),
      HOST: "127.0.0.1",
      PORT: "0",
      CRASH_PLAN: planFile(home),
      ...(url === undefined ? {} : { DATABASE_URL: url }),
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const port = await readPort(child);
  const token = readFileSync(join(home, "data/admin-token"), "utf8").trim();
  return { child, publisher: createPublisher(port, token), token };
};

/** All files of build `n` carry its number, so that a mixture of two builds shows. */
const filesOf = (n: number): Files => ({
  "index.html": `<p>build ${n}</p>`,
  ...Object.fromEntries(
    Array.from({ length: ASSETS }, (_, index) => [`a${index}.txt`, `build ${n} asset ${index}`]),
  ),
});

const buildIn = (text: string): number => Number(/build (\d+)/.exec(text)?.[1] ?? Number.NaN);

/** Reads page and assets until the server is gone; every answer of one deployment must be of one build. */
const read = async (publisher: Publisher, builds: Map<string, number>): Promise<number> => {
  let answers = 0;
  try {
    for (;;)
      for (const path of ["/", "/a0.txt", `/a${ASSETS - 1}.txt`]) {
        const answer = await publisher.visit("crash", path);
        if (answer.status === 404) continue;
        expect(answer.status).toBe(200);
        const id = String(answer.headers["x-deployment-id"]);
        const build = buildIn(answer.text);
        expect([id, builds.get(id) ?? build]).toEqual([id, build]);
        builds.set(id, build);
        answers += 1;
      }
  } catch (error) {
    if (error instanceof Error && "code" in error && !("matcherResult" in error)) return answers;
    throw error;
  }
};

type Attempt = { acknowledged: boolean; deploymentId: string | undefined };

/** Publishes build `n` until the server dies or it is acknowledged. */
const publish = async (publisher: Publisher, n: number): Promise<Attempt> => {
  let deploymentId: string | undefined;
  try {
    const files = filesOf(n);
    const created = await publisher.create("crash", files);
    deploymentId = created.deployment.id;
    await Promise.all(
      created.missing.map(({ path }) => publisher.put(deploymentId ?? "", path, files[path] ?? "")),
    );
    const answer = await publisher.activate(deploymentId);
    return { acknowledged: answer.status === 200, deploymentId };
  } catch {
    return { acknowledged: false, deploymentId };
  }
};

const checkDisk = (home: string): void => {
  const blobs = join(home, "data/blobs");
  expect(readdirSync(join(blobs, "tmp"))).toEqual([]);
  for (const folder of readdirSync(blobs).filter((name) => /^[0-9a-f]{2}$/.test(name)))
    for (const name of readdirSync(join(blobs, folder)))
      expect([name, sha256(readFileSync(join(blobs, folder, name)))]).toEqual([name, name]);
  expect(existsSync(join(home, "data/nightshift.sqlite-wal"))).toBe(true);
};

/** The same of a database: every body has the digest of its name, and nothing recorded is without one. */
const checkRows = async (url: string): Promise<void> => {
  const wrong = await postgres.server().query(
    url,
    `SELECT b.sha256 FROM blob_bodies b LEFT JOIN blob_parts p ON p.body = b.id WHERE b.sha256 IS NOT NULL
     GROUP BY b.id HAVING encode(sha256(coalesce(string_agg(p.bytes, ''::bytea ORDER BY p.at), ''::bytea)), 'hex') <> b.sha256
     UNION SELECT sha256 FROM blobs WHERE sha256 NOT IN (SELECT sha256 FROM blob_bodies WHERE sha256 IS NOT NULL)`,
  );
  expect(wrong).toEqual([]);
};

/** What is live must be this build from top to bottom (0: nothing). */
const checkLive = async (publisher: Publisher, expected: number): Promise<number> => {
  const page = await publisher.visit("crash", "/");
  const live = page.status === 404 ? 0 : buildIn(page.text);
  expect(live).toBe(expected);
  if (live === 0) return 0;
  for (const [path, content] of Object.entries(filesOf(live))) {
    const answer = await publisher.visit("crash", `/${path}`);
    expect([answer.status, answer.text]).toEqual([200, content]);
    expect(answer.headers["x-deployment-id"]).toBe(page.headers["x-deployment-id"]);
  }
  return live;
};

/** What was interrupted goes on where it stopped: only what is missing is sent, then it goes live. */
const finish = async (publisher: Publisher, id: string, build: number): Promise<number> => {
  const files = filesOf(build);
  const { missing } = (await publisher.send({ path: `/api/deployments/${id}` })).json() as {
    missing: { path: string }[];
  };
  for (const { path } of missing) expect((await publisher.put(id, path, files[path] ?? "")).status).toBe(200);
  expect((await publisher.activate(id)).status).toBe(200);
  return checkLive(publisher, build);
};

test.for([
  { database: "SQLite", kills: KILLS },
  // The steps in which it differs are fewer; what the database itself must hold is not ours to test.
  { database: "PostgreSQL", kills: Math.max(10, KILLS / 4) },
] as const)(
  "on $database, killed $kills times at every step under readers: wholly old or wholly new, nothing acknowledged is lost",
  { timeout: KILLS * 10_000 },
  async ({ database, kills }, { skip }) => {
    if (database === "PostgreSQL" && !hasPostgres) skip("PostgreSQL is not installed");
    const url = database === "PostgreSQL" ? await postgres.newDatabase() : undefined;
    const steps = STEPS[database];
    const home = mkdtempSync(join(tmpdir(), "nightshift-crash-"));
    const builds = new Map<string, number>();
    writeFileSync(planFile(home), "");
    let server = await start(home, url);
    let live = 0;
    let answers = 0;
    let resumed = 0;
    for (let kill = 1; kill <= kills; kill++) {
      const step = steps[kill % steps.length] ?? "blob-written";
      const times = step.startsWith("blob") ? 1 + (Math.floor(kill / steps.length) % ASSETS) : 1;
      writeFileSync(planFile(home), `${step}:${times}`);
      const gone = once(server.child, "exit");
      const readers = Array.from({ length: READERS }, () => read(server.publisher, builds));
      const attempt = await publish(server.publisher, kill);
      expect([step, attempt.acknowledged]).toEqual([step, false]);
      await gone;
      for (const count of await Promise.all(readers)) answers += count;

      writeFileSync(planFile(home), "");
      server = await start(home, url);
      if (url === undefined) checkDisk(home);
      else await checkRows(url);
      // From the commit on the new build is the live one, even if nobody was told; before it, the old one.
      const isCommitted = step === "activation-committed" || step === "activation-live";
      live = await checkLive(server.publisher, isCommitted ? kill : live);
      if (isCommitted || attempt.deploymentId === undefined) continue;
      live = await finish(server.publisher, attempt.deploymentId, kill);
      resumed += 1;
    }
    const ended = once(server.child, "exit");
    server.child.kill("SIGKILL");
    await ended;
    expect(answers).toBeGreaterThan(kills);
    expect(resumed).toBeGreaterThan(0);
    rmSync(home, { recursive: true, force: true });
  },
);
