import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { describeEngines } from "../memory/fixtures/engines.ts";
import { type MemoryServer, startMemoryServer } from "../memory/fixtures/start-memory-server.ts";
import type { PublishedView } from "../publishing/published-by.ts";
import { batchOf } from "./fixtures/batches.ts";
import type { Overview } from "./overview.ts";
import type { CommandView, FetchedCommand } from "./schemas.ts";
import type { EventView, RunView } from "./views.ts";

const HOUR = 3_600_000;
const START = Date.parse("2026-11-20T22:00:00Z");

describeEngines((engine) => {
  let server: MemoryServer;
  let admin = "";
  let time = START;
  beforeAll(async () => {
    server = await startMemoryServer({ ...(await engine.environment()), NIGHT_DAYS: "30" }, () => time);
    admin = readFileSync(join(server.settings.home, "admin-token"), "utf8").trim();
  });
  afterAll(() => server.stop());

  const tell = async (batch: object, worker = "docs", host = "build-1") =>
    server.ask("POST", `/api/fleet/${host}/${encodeURIComponent(worker)}/events`, { body: batch });
  const read = async <T>(path: string, as = admin): Promise<T> =>
    JSON.parse((await server.ask("GET", path, { as })).text) as T;
  const overview = (query = "") => read<Overview>(`/api/night${query}`);
  const makeToken = async (actions: string[]): Promise<string> => {
    const made = await server.ask("POST", "/api/tokens", { as: admin, body: { actions } });
    return (JSON.parse(made.text) as { token: string }).token;
  };
  const iso = (ms: number) => new Date(ms).toISOString();

  test("keeps what a supervisor tells of a run, and shows it in the night and by itself", async () => {
    const answer = await tell(
      batchOf({
        run: { windowTokens: 200_000, contextLimitPercent: 75, budgetUsd: 5 },
        events: [
          { kind: "session-begin", session: 1 },
          { kind: "usage", session: 1, data: { contextTokens: 50_000, costUsd: 0.5, tokens: 1000 } },
          { kind: "gates", session: 1, data: { when: "before", verdict: "healthy" }, text: "all fine" },
          { kind: "log", data: { lines: ["one", "two"] } },
        ],
      }),
    );
    expect(answer.status).toBe(200);
    expect(JSON.parse(answer.text)).toEqual({ ok: true, nextInMs: 1000 });
    const night = await overview();
    expect(night.totals).toMatchObject({ done: 0, needsYou: 0, running: 1 });
    expect(night.running[0]).toMatchObject({ worker: "docs", windowTokens: 200_000, budgetUsd: 5 });
    const run = await read<{ run: RunView; events: EventView[] }>("/api/night/runs/run-00000001");
    expect(run.events.map(({ kind }) => kind)).toEqual(["session-begin", "usage", "gates"]);
    const gates = run.events[2];
    expect(gates).toMatchObject({ textLength: 8, data: { verdict: "healthy" } });
    const text = await read<{ text: string }>(`/api/night/runs/run-00000001/events/${gates?.number}/text`);
    expect(text).toEqual({ text: "all fine" });
    const log = await read<{ lines: string[]; last: number }>("/api/night/runs/run-00000001/log");
    expect(log.lines).toEqual(["one", "two"]);
    expect(
      (await read<{ lines: string[] }>(`/api/night/runs/run-00000001/log?after=${log.last}`)).lines,
    ).toEqual([]);
  });

  test("the fleet has the same report, as before", async () => {
    const { workers } = await read<{ workers: { worker: string; status: string }[] }>("/api/fleet");
    expect(workers).toMatchObject([{ worker: "docs", status: "running" }]);
  });

  test("keeps the last 500 lines of a log, whatever comes", async () => {
    for (let at = 0; at < 30; at++) {
      const lines = Array.from({ length: 100 }, (_, nth) => `line ${at * 100 + nth}`);
      await tell(
        batchOf({ run: { id: "run-loud-0001" }, events: [{ kind: "log", data: { lines } }] }, at + 1),
        "loud",
      );
    }
    const { lines } = await read<{ lines: string[] }>("/api/night/runs/run-loud-0001/log");
    expect(lines.length).toBeLessThanOrEqual(1000);
    expect(lines.length).toBeGreaterThanOrEqual(500);
    expect(lines.at(-1)).toBe("line 2999");
    await tell(batchOf({ run: { id: "run-loud-0001" }, report: { status: "complete" } }), "loud");
  });

  test("says what needs a person until somebody has seen it or a newer run takes its place", async () => {
    const failed = { report: { status: "failed", reason: "the same error three times", endedAt: iso(time) } };
    await tell(batchOf({ ...failed, run: { id: "run-fails-0001" } }), "api");
    await tell(batchOf({ ...failed, run: { id: "run-fails-0002" } }), "web");
    const names = async () => (await overview()).needsYou.map(({ worker }) => worker).toSorted();
    expect(await names()).toEqual(["api", "web"]);
    expect((await server.ask("POST", "/api/night/runs/run-fails-0001/seen", { as: admin })).status).toBe(200);
    expect(await names()).toEqual(["web"]);
    await tell(batchOf({ run: { id: "run-again-0002", startedAt: iso(time + HOUR) } }), "web");
    expect(await names()).toEqual([]);
    time += 121_000;
    expect((await overview()).needsYou.map(({ need }) => need)).toEqual(
      expect.arrayContaining([expect.stringContaining("not heard from")]),
    );
  });

  test("counts what was done and spent since somebody looked, of older runs only what came after", async () => {
    const since = time + 1_000;
    const ended = iso(since + 60_000);
    await tell(
      batchOf({
        run: { id: "run-spans-001", startedAt: iso(since - HOUR) },
        report: { status: "complete", costUsd: 3, endedAt: ended },
        events: [
          { kind: "session-begin", session: 1, at: iso(since - HOUR) },
          { kind: "session-end", session: 1, at: iso(since - 1_000), data: { costUsd: 1 } },
          { kind: "session-begin", session: 2, at: iso(since) },
          { kind: "commits", session: 2, at: ended, data: { commits: ["a x", "b y"] } },
          { kind: "session-end", session: 2, at: ended, data: { costUsd: 2 } },
        ],
      }),
      "spans",
    );
    await tell(
      batchOf({
        run: { id: "run-fresh-001", startedAt: iso(since) },
        report: { status: "complete", costUsd: 0.25, endedAt: ended },
      }),
      "fresh",
    );
    time = since + 120_000;
    await tell(
      batchOf({ run: { id: "run-spans-001" }, report: { status: "complete", costUsd: 3, endedAt: ended } }),
      "spans",
    );
    const { totals } = await overview(`?since=${iso(since)}`);
    expect(totals).toMatchObject({ done: 2, commits: 2, unpriced: 0 });
    expect(totals.costUsd).toBeCloseTo(2.25 + 0.5); // and the run that was begun again
  });

  test("what no agent told is unknown, and not free", async () => {
    const since = time + 1_000;
    time = since + 120_000;
    const { unpriced } = (await overview(`?since=${iso(since)}`)).totals;
    const events = [
      { kind: "session-begin", session: 1, at: iso(since) },
      { kind: "session-end", session: 1, at: iso(since + 1_000), data: { isCounted: false } },
      { kind: "session-begin", session: 2, at: iso(since + 2_000) },
      { kind: "session-end", session: 2, at: iso(since + 3_000), data: { tokens: 900, isCounted: true } },
    ];
    const report = { status: "complete", costUsd: 0, endedAt: iso(since + 3_000) };
    await tell(
      batchOf({ run: { id: "run-silent-01", startedAt: iso(since) }, report, events }),
      "tells-nothing",
    );
    expect((await overview(`?since=${iso(since)}`)).totals).toMatchObject({ unpriced: unpriced + 1 });
    const { run } = await read<{ run: RunView }>("/api/night/runs/run-silent-01");
    expect(run.sessions.map(({ isUnpriced }) => isUnpriced)).toEqual([undefined, true]);
  });

  test("what is long comes compressed to who understands that, and is the same", async () => {
    const ask = (encoding: string) =>
      fetch(`${server.url}/api/night`, {
        headers: { authorization: `Bearer ${admin}`, "accept-encoding": encoding },
      });
    const [plain, packed] = [await ask("identity"), await ask("gzip")];
    expect([plain.headers.get("content-encoding"), packed.headers.get("content-encoding")]).toEqual([
      null,
      "gzip",
    ]);
    const { at: _one, ...first } = (await plain.json()) as Overview;
    const { at: _other, ...second } = (await packed.json()) as Overview;
    expect({ ...second, since: first.since }).toEqual(first);
  });

  test("a run shows what its sessions have published, and where", async () => {
    const run = "run-publish-1";
    await tell(batchOf({ run: { id: run } }), "publishes");
    const html = "<h1>Atlas</h1>";
    const sha256 = createHash("sha256").update(html).digest("hex");
    const manifest = [{ path: "index.html", size: html.length, sha256 }];
    const ask = async (method: string, path: string, body: unknown) =>
      JSON.parse((await server.ask(method, path, { as: admin, body })).text) as {
        deployment: { id: string; run?: string };
      };
    const { deployment } = await ask("POST", "/api/sites/atlas/deployments", { manifest, run });
    expect(deployment.run).toBe(run);
    const published = async () =>
      (await read<{ published: PublishedView[] }>(`/api/night/runs/${run}`)).published;
    expect(await published()).toMatchObject([
      { site: "atlas", deployment: deployment.id, status: "pending", files: 1 },
    ]);
    expect((await published())[0]?.url).toContain(`${deployment.id}--atlas.`);
    await fetch(`${server.url}/api/deployments/${deployment.id}/assets?path=index.html`, {
      method: "PUT",
      headers: { authorization: `Bearer ${admin}` },
      body: html,
    });
    await ask("POST", `/api/deployments/${deployment.id}/activate`, undefined);
    expect(await published()).toMatchObject([
      { status: "active", url: expect.stringContaining("//atlas.") as string },
    ]);
    expect(
      (
        await server.ask("POST", "/api/sites/atlas/deployments", {
          as: admin,
          body: { manifest, run: "../1" },
        })
      ).status,
    ).toBe(400);
  });

  test("pages through runs and filters them by project, host, status and day", async () => {
    for (let at = 0; at < 25; at++) {
      const startedAt = iso(START - 5 * 24 * HOUR + at * 60_000);
      const run = {
        id: `run-old-${String(at).padStart(5, "0")}`,
        project: at % 2 ? "odd" : "even",
        startedAt,
      };
      await tell(
        batchOf({ run, report: { status: "complete", endedAt: startedAt } }),
        `old-${at}`,
        "build-9",
      );
    }
    const first = await overview("?host=build-9&limit=10");
    expect(first.runs).toHaveLength(10);
    const second = await overview(`?host=build-9&limit=10&before=${first.next}`);
    const third = await overview(`?host=build-9&limit=10&before=${second.next}`);
    expect(third.runs).toHaveLength(5);
    expect(third.next).toBeUndefined();
    const all = [...first.runs, ...second.runs, ...third.runs].map(({ id }) => id);
    expect(new Set(all).size).toBe(25);
    expect(all).toEqual(all.toSorted().toReversed());
    expect((await overview("?project=odd&limit=200")).runs).toHaveLength(12);
    expect((await overview("?host=build-9&status=failed")).runs).toEqual([]);
    const day = `?from=${iso(START - 24 * HOUR)}&to=${iso(START + 24 * HOUR)}&host=build-9`;
    expect((await overview(day)).runs).toEqual([]);
    expect((await overview()).projects).toEqual(["atlas", "even", "odd"]);
  });

  test("a command waits for its host, is given out until it is acknowledged, and says what became of it", async () => {
    await tell(batchOf({}));
    const asked = await server.ask("POST", "/api/night/runs/run-00000001/commands", {
      as: admin,
      body: { action: "adjust", max: 8 },
    });
    expect(asked.status).toBe(201);
    const poll = async (body: object) => {
      const answer = await server.ask("POST", "/api/fleet/build-1/commands", { body: { acks: [], ...body } });
      return (JSON.parse(answer.text) as { commands: FetchedCommand[] }).commands;
    };
    expect(await poll({ worker: "other" })).toEqual([]);
    expect(await poll({ workers: ["docs"] })).toEqual([]); // a steerer adjusts nobody who runs
    const [command] = await poll({ worker: "docs" });
    expect(command).toMatchObject({ action: "adjust", args: { max: 8 } });
    expect(await poll({ worker: "docs" })).toHaveLength(1); // the answer may have been lost
    const id = command?.id ?? "";
    const states = async () =>
      (await read<{ commands: CommandView[] }>("/api/night/runs/run-00000001")).commands.map(
        ({ state }) => state,
      );
    expect(await states()).toEqual(["sent"]);
    expect(await poll({ worker: "docs", acks: [{ id, state: "received" }] })).toEqual([]);
    expect(await states()).toEqual(["received"]);
    await poll({
      worker: "docs",
      acks: [{ id, state: "done", detail: "it applies from the next session on" }],
    });
    await poll({ worker: "docs", acks: [{ id, state: "failed" }] });
    expect(await states()).toEqual(["done"]);
  });

  test("an answer that is held back comes as soon as there is a command", async () => {
    const waiting = server.ask("POST", "/api/fleet/build-1/commands", {
      body: { worker: "docs", waitSeconds: 25, acks: [] },
    });
    const body = { action: "note", text: "look at the tests first" };
    await server.ask("POST", "/api/night/runs/run-00000001/commands", { as: admin, body });
    expect((await waiting).text).toContain("look at the tests first");
  });

  test("refuses what makes no sense, in words", async () => {
    const ask = async (body: object, run = "run-00000001") => {
      const answer = await server.ask("POST", `/api/night/runs/${run}/commands`, { as: admin, body });
      return [answer.status, (JSON.parse(answer.text) as { error: string }).error];
    };
    expect(await ask({ action: "adjust" })).toEqual([
      400,
      "say what to adjust: task, max, model or budgetUsd",
    ]);
    expect(await ask({ action: "note" })).toEqual([400, "a note needs its text"]);
    expect((await ask({ action: "explode" }))[0]).toBe(400);
    expect((await ask({ action: "stop" }, "run-nobody-1"))[0]).toBe(404);
    expect(await ask({ action: "resume" })).toEqual([
      409,
      "docs is running; only one that has ended can be asked to resume",
    ]);
    expect((await ask({ action: "stop" }, "run-fails-0001"))[0]).toBe(409);
  });

  test("watching and steering are permissions of their own, and a reporting key steers nobody", async () => {
    const [watcher, steerer, uploader] = [
      await makeToken(["watch"]),
      await makeToken(["steer"]),
      await makeToken(["upload"]),
    ];
    const statusOf = async (method: string, path: string, as: string | null) =>
      (
        await server.ask(method, path, {
          as,
          ...(method === "POST" ? { body: { action: "note", text: "hi" } } : {}),
        })
      ).status;
    const look = (as: string | null) => statusOf("GET", "/api/night", as);
    const act = (as: string | null) => statusOf("POST", "/api/night/runs/run-00000001/commands", as);
    expect([await look(watcher), await look(steerer), await look(admin), await look(server.key)]).toEqual([
      200, 200, 200, 200,
    ]);
    expect([await look(uploader), await look(null)]).toEqual([403, 401]);
    expect([await act(steerer), await act(watcher), await act(uploader), await act(server.key)]).toEqual([
      201, 403, 403, 403,
    ]);
    expect((await tell(batchOf({}), "docs")).status).toBe(200);
    expect(
      (await server.ask("POST", "/api/fleet/h/w/events", { body: batchOf({}), as: watcher })).status,
    ).toBe(403);
  });

  test("what a person asked of a worker is in the security log", async () => {
    const { text } = await server.ask("GET", "/api/security-log", { as: admin });
    expect(text).toContain('"event":"worker-command"');
    expect(text).toContain("adjust for docs on build-1");
  });

  test("takes a patch of 256 KiB in any script, and refuses more in words", async () => {
    const patch = (length: number) => [{ kind: "commits", session: 1, data: {}, text: "界".repeat(length) }];
    const run = { id: "run-large-001" };
    expect((await tell(batchOf({ run, events: patch(256 * 1024) }), "large")).status).toBe(200);
    expect((await tell(batchOf({ run, events: patch(300_001) }, 2), "large")).status).toBe(400);
    expect((await tell(batchOf({ run, events: patch(1_500_000) }, 3), "large")).status).toBe(413);
  });

  test("the stream says which run changed, at once", async () => {
    const response = await fetch(`${server.url}/api/night/stream`, {
      headers: { authorization: `Bearer ${admin}` },
    });
    expect(response.headers.get("content-type")).toContain("text/event-stream");
    const reader = response.body?.getReader();
    let seen = "";
    const next = async () => {
      seen += new TextDecoder().decode((await reader?.read())?.value);
    };
    await next();
    await tell(batchOf({ events: [{ kind: "critic-stop", data: { reason: "skips tests" } }] }, 900));
    while (!seen.includes("event: change")) await next();
    expect(seen).toContain('"run":"run-00000001"');
    expect(seen).toContain("critic-stop");
    await reader?.cancel();
  });
});
