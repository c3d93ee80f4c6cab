// @module-tag long

import { spawn } from "node:child_process";
import { resolve } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startMemoryServer } from "../server/memory/fixtures/start-memory-server.ts";
import type { FleetWorker } from "../server/fleet/schemas.ts";
import { saveState } from "../worker/state/save-state.ts";
import { eventually } from "./eventually.ts";
import { FINISH, Night } from "./faults/night.ts";

const WORKER = resolve(import.meta.dirname, "../dist/scripts/worker.js");

let night: Night;
beforeEach(() => {
  night = new Night();
});
afterEach(() => night.dispose());

const worker = (...words: string[]): Promise<{ code: number | null; out: string; err: string }> =>
  new Promise((done) => {
    const child = spawn(process.execPath, [WORKER, ...words], { env: night.env, cwd: night.root });
    let out = "";
    let err = "";
    child.stdout.on("data", (chunk: Buffer) => (out += chunk.toString()));
    child.stderr.on("data", (chunk: Buffer) => (err += chunk.toString()));
    child.once("close", (code) => done({ code, out, err }));
  });

const REPORT = {
  status: "running",
  session: 1,
  max: 10,
  dir: "/srv/atlas",
  task: "Fix the links",
  agent: "Claude Code",
  costUsd: 0,
  tokens: 0,
  startedAt: "2026-11-20T22:00:00.000Z",
  updatedAt: "2026-11-20T22:00:00.000Z",
};

/** What `worker list --all --json` prints. */
const listAll = async (url: string, keyFile: string): Promise<FleetWorker[]> =>
  JSON.parse(
    (await worker("list", "--all", "--url", url, "--key-file", keyFile, "--json")).out,
  ) as FleetWorker[];

test("every supervisor reports to the server, and worker list --all shows every host", async () => {
  const server = await startMemoryServer();
  try {
    night.config = { server: { url: server.url } };
    night.env["MEMORY_API_KEY_FILE"] = server.keyFile;
    for (const host of ["build-1", "build-2"]) {
      night.env["NIGHTSHIFT_HOST"] = host;
      const plan = { name: "docs", dir: `docs-${host}`, health: "exit 0", parts: [{ steps: FINISH }] };
      const state = await night.run(await night.plan(plan));
      expect(state.status).toBe("complete");
    }
    expect(await listAll(server.url, server.keyFile)).toMatchObject(
      [
        ["build-2", "docs-build-2/docs"], // this host's first; both have one home here, so the other has the plain name
        ["build-1", "docs"],
      ].map(([host, name]) => ({
        host,
        worker: name,
        status: "complete",
        session: 1,
        task: "play docs",
        reason: "DONE, and the gates are healthy",
        lastEvent: `worker ${name} ended: complete (DONE, and the gates are healthy)`,
        isSilent: false,
      })),
    );
  } finally {
    await server.stop();
  }
});

test("worker list --all shows a worker of this host as crashed as soon as its supervisor is dead", async () => {
  const server = await startMemoryServer();
  try {
    night.config = { server: { url: server.url } };
    night.env["MEMORY_API_KEY_FILE"] = server.keyFile;
    await night.start(await night.plan({ name: "docs", parts: [{ steps: [{ do: "hang" }] }] }));
    const told = async () =>
      JSON.parse((await server.ask("GET", "/api/fleet", { as: server.key })).text) as {
        workers: FleetWorker[];
      };
    // The server itself: this machine's files know it before.
    await eventually(async () => (await told()).workers[0]?.status).toBe("running");
    await night.kill("docs");
    expect(await listAll(server.url, server.keyFile)).toMatchObject([{ worker: "docs", status: "crashed" }]);
    night.env["NIGHTSHIFT_HOST"] = "another"; // from there nobody can tell
    expect(await listAll(server.url, server.keyFile)).toMatchObject([{ worker: "docs", status: "running" }]);
  } finally {
    await server.stop();
  }
});

test("worker list --all shows this machine's workers first, also those that no server knows, and while none answers", async () => {
  const server = await startMemoryServer();
  try {
    const plan = { name: "docs", dir: "docs", health: "exit 0", parts: [{ steps: FINISH }] };
    await night.run(await night.plan(plan));
    await server.ask("PUT", "/api/fleet/a-build-host/far", { body: REPORT });
    night.env["NIGHTSHIFT_HOST"] = "my-laptop";
    expect((await listAll(server.url, server.keyFile)).map(({ host, worker: name }) => [host, name])).toEqual(
      [
        ["my-laptop", "docs"],
        ["a-build-host", "far"],
      ],
    );
  } finally {
    await server.stop();
  }
  const words = ["list", "--all", "--url", server.url, "--key-file", server.keyFile];
  const alone = await worker(...words);
  expect(alone.out).toMatch(/^my-laptop +docs +complete/m);
  expect(alone.err).toContain("only the workers of this machine are known: no server answers at");
  expect(alone.code).not.toBe(0);
  const json = await worker(...words, "--json");
  expect(JSON.parse(json.out)).toMatchObject({
    code: "unavailable",
    workers: [{ host: "my-laptop", worker: "docs", status: "complete" }],
  });
  expect(json.code).toBe(alone.code);
});

test("a worker that is removed is forgotten by the server, too, and by this machine whatever the server does", async () => {
  const server = await startMemoryServer();
  night.config = { server: { url: server.url } };
  night.env["MEMORY_API_KEY_FILE"] = server.keyFile;
  night.write("agent.config.json", JSON.stringify(night.config));
  for (const name of ["first", "second"]) {
    const plan = { name, dir: name, health: "exit 0", parts: [{ steps: FINISH }] };
    const state = await night.run(await night.plan(plan));
    // Its supervisor was this process, which lives on.
    saveState(night.home, { ...state, supervisor: { ...state.supervisor, startTime: "0" } });
  }
  expect(await worker("remove", "first")).toMatchObject({ code: 0, err: "" });
  expect((await listAll(server.url, server.keyFile)).map(({ worker: name }) => name)).toEqual(["second"]);
  await server.stop();
  const alone = await worker("remove", "second");
  expect(alone).toMatchObject({ code: 0, out: "second is forgotten\n" });
  expect(alone.err).toContain(`the server could not be told (${server.url}: `);
  expect(alone.err).toContain("); worker list --all shows second for up to 30 days");
  expect(JSON.parse((await worker("list", "--json")).out)).toEqual([]);
});

test("a server that is away, or refuses the key, holds no worker up", async () => {
  const server = await startMemoryServer();
  const key = night.write("wrong-key", "not the key of that server");
  night.config = { server: { url: server.url } };
  night.env["MEMORY_API_KEY_FILE"] = key;
  const refused = await night.run(
    await night.plan({ name: "refused", health: "exit 0", parts: [{ steps: FINISH }] }),
  );
  expect(refused.status).toBe("complete");
  expect(night.log("refused")).toContain(
    `the server could not be told how this worker is: ${server.url} answered 401; continuing without it`,
  );
  await server.stop();
  const alone = await night.run(
    await night.plan({ name: "alone", health: "exit 0", parts: [{ steps: FINISH }] }),
  );
  expect(alone.status).toBe("complete");
  expect(night.log("alone")).toMatch(
    /the server could not be told how this worker is: http\S+: .*ECONNREFUSED.*; continuing, and telling it later/,
  );
});
