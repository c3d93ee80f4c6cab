import { afterAll, beforeAll, expect, test } from "vitest";
import { describeEngines } from "../memory/fixtures/engines.ts";
import { type MemoryServer, startMemoryServer } from "../memory/fixtures/start-memory-server.ts";
import type { FleetWorker } from "./schemas.ts";

describeEngines((engine) => {
  let server: MemoryServer;
  let time = Date.parse("2026-11-20T22:00:00Z");
  beforeAll(async () => {
    server = await startMemoryServer(await engine.environment(), () => time);
  });
  afterAll(() => server.stop());

  const report = (change: Partial<FleetWorker> = {}) => ({
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
    ...change,
  });

  const list = async (): Promise<FleetWorker[]> =>
    (JSON.parse((await server.ask("GET", "/api/fleet", { as: null })).text) as { workers: FleetWorker[] })
      .workers;

  test("keeps the newest report of each worker of each host, with its age by the server's clock", async () => {
    await server.ask("PUT", "/api/fleet/build-1/docs", { body: report() });
    await server.ask("PUT", "/api/fleet/build-2/docs", { body: report({ status: "waiting" }) });
    time += 30_000;
    await server.ask("PUT", "/api/fleet/build-1/docs", {
      body: report({ session: 2, contextPercent: 41.5, lastEvent: "tool: Bash npm test" }),
    });
    expect(await list()).toMatchObject([
      { host: "build-1", worker: "docs", session: 2, contextPercent: 41.5, ageSeconds: 0, isSilent: false },
      { host: "build-2", worker: "docs", status: "waiting", ageSeconds: 30, isSilent: false },
    ]);
  });

  test("names a worker that should be running and has not been heard from; one that ended may be silent", async () => {
    await server.ask("PUT", "/api/fleet/build-3/ended", { body: report({ status: "complete" }) });
    time += 121_000;
    const silent = (await list()).filter(({ isSilent }) => isSilent).map(({ host }) => host);
    expect(silent).toEqual(["build-1", "build-2"]);
  });

  test("tells Prometheus how many workers are in which status, and what they cost by agent", async () => {
    await server.ask("PUT", "/api/fleet/build-4/paid", {
      body: report({ status: "complete", agent: 'Codex "x"', costUsd: 1.5, tokens: 1_200 }),
    });
    const { text } = await server.ask("GET", "/metrics");
    const values = text.split("\n").filter((line) => line.startsWith("nightshift_workers"));
    expect(values).toEqual([
      'nightshift_workers{status="silent"} 2',
      'nightshift_workers{status="complete"} 2',
      'nightshift_workers_cost_usd{agent="Claude Code"} 0',
      'nightshift_workers_cost_usd{agent="Codex _x_"} 1.5',
      'nightshift_workers_tokens{agent="Claude Code"} 0',
      'nightshift_workers_tokens{agent="Codex _x_"} 1200',
    ]);
    await server.ask("DELETE", "/api/fleet/build-4/paid");
  });

  test("takes reports only with a key that may write, and only whole ones", async () => {
    expect((await server.ask("PUT", "/api/fleet/h/w", { body: report(), as: null })).status).toBe(401);
    expect((await server.ask("PUT", "/api/fleet/h/w", { body: { ...report(), session: -1 } })).status).toBe(
      400,
    );
    expect((await server.ask("PUT", "/api/fleet/h%2F/w", { body: report() })).status).toBe(400);
    expect((await list()).map(({ host }) => host)).not.toContain("h");
  });

  test("forgets a worker on request, and by itself after a month without a word", async () => {
    expect((await server.ask("DELETE", "/api/fleet/build-3/ended")).status).toBe(200);
    expect((await server.ask("DELETE", "/api/fleet/build-3/ended")).status).toBe(404);
    time += 31 * 86_400_000;
    await server.ask("PUT", "/api/fleet/build-1/docs", { body: report() });
    expect((await list()).map(({ host }) => host)).toEqual(["build-1"]);
  });

  test("is nobody's business who may read the scope shared without a key", async () => {
    const open = await startMemoryServer({
      ...(await engine.environment()),
      HOST: "0.0.0.0",
      MEMORY_PUBLIC_READ: "true",
    });
    try {
      expect((await open.ask("PUT", "/api/fleet/build-1/docs", { body: report() })).status).toBe(200);
      expect((await open.ask("GET", "/learnings", { as: null })).status).toBe(200);
      const refused = await open.ask("GET", "/api/fleet", { as: null });
      expect(refused.status).toBe(401);
      expect(refused.text).not.toContain("atlas");
      expect((await open.ask("GET", "/api/fleet")).text).toContain("atlas");
    } finally {
      await open.stop();
    }
  });
});
