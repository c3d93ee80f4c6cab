import { spawn } from "node:child_process";
import { resolve } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startMemoryServer } from "../server/memory/fixtures/start-memory-server.ts";
import type { FleetWorker } from "../server/fleet/schemas.ts";
import { FINISH, Night } from "./faults/night.ts";

const WORKER = resolve(import.meta.dirname, "../dist/scripts/worker.js");

let night: Night;
beforeEach(() => {
  night = new Night();
});
afterEach(() => night.dispose());

/** What `worker list --all --json` prints. */
const listAll = (url: string, keyFile: string): Promise<FleetWorker[]> =>
  new Promise((done) => {
    const child = spawn(
      process.execPath,
      [WORKER, "list", "--all", "--url", url, "--key-file", keyFile, "--json"],
      { env: night.env, cwd: night.root },
    );
    let text = "";
    child.stdout.on("data", (chunk: Buffer) => (text += chunk.toString()));
    child.once("close", () => done(JSON.parse(text) as FleetWorker[]));
  });

test("every supervisor reports to the server, and worker list --all shows every host", async () => {
  const server = await startMemoryServer();
  try {
    night.config = { server: { url: server.url }, memory: { keyFile: server.keyFile } };
    for (const host of ["build-1", "build-2"]) {
      night.env["NIGHTSHIFT_HOST"] = host;
      const plan = { name: "docs", dir: `docs-${host}`, health: "exit 0", parts: [{ steps: FINISH }] };
      const state = await night.run(await night.plan(plan));
      expect(state.status).toBe("complete");
    }
    expect(await listAll(server.url, server.keyFile)).toMatchObject(
      ["build-1", "build-2"].map((host) => ({
        host,
        worker: "docs",
        status: "complete",
        session: 1,
        task: "play docs",
        reason: "DONE, and the gates are healthy",
        lastEvent: "worker docs ended: complete (DONE, and the gates are healthy)",
        isSilent: false,
      })),
    );
  } finally {
    await server.stop();
  }
});

test("a server that is away, or refuses the key, holds no worker up", async () => {
  const server = await startMemoryServer();
  const key = night.write("wrong-key", "not the key of that server");
  night.config = { server: { url: server.url }, memory: { keyFile: key } };
  const refused = await night.run(
    await night.plan({ name: "refused", health: "exit 0", parts: [{ steps: FINISH }] }),
  );
  expect(refused.status).toBe("complete");
  expect(night.log("refused")).toContain(`fleet: ${server.url} answered 401`);
  await server.stop();
  const alone = await night.run(
    await night.plan({ name: "alone", health: "exit 0", parts: [{ steps: FINISH }] }),
  );
  expect(alone.status).toBe("complete");
});
