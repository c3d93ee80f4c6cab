import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { describeEngines } from "../memory/fixtures/engines.ts";
import type { PublishedView } from "../publishing/published-by.ts";
import { batchOf } from "./fixtures/batches.ts";
import { iso } from "../../core/clock.ts";
import { HOUR, START, useNight } from "./fixtures/use-night.ts";
import type { Overview } from "./overview.ts";
import type { EventView, RunView } from "./views.ts";

describeEngines((engine) => {
  const night = useNight(engine);
  const { tell, read, overview } = night;

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
    const shown = await overview();
    expect(shown.totals).toMatchObject({ done: 0, needsYou: 0, running: 1 });
    expect(shown.running[0]).toMatchObject({ worker: "docs", windowTokens: 200_000, budgetUsd: 5 });
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
    const failed = {
      report: { status: "failed", reason: "the same error three times", endedAt: iso(night.time) },
    };
    await tell(batchOf({ ...failed, run: { id: "run-fails-0001" } }), "api");
    await tell(batchOf({ ...failed, run: { id: "run-fails-0002" } }), "web");
    const names = async () => (await overview()).needsYou.map(({ worker }) => worker).toSorted();
    expect(await names()).toEqual(["api", "web"]);
    expect((await night.ask("POST", "/api/night/runs/run-fails-0001/seen", { as: night.admin })).status).toBe(
      200,
    );
    expect(await names()).toEqual(["web"]);
    await tell(batchOf({ run: { id: "run-again-0002", startedAt: iso(night.time + HOUR) } }), "web");
    expect(await names()).toEqual([]);
    night.time += 121_000;
    expect((await overview()).needsYou.map(({ need }) => need)).toEqual(
      expect.arrayContaining([expect.stringContaining("not heard from")]),
    );
  });

  test("counts what was done and spent since somebody looked, of older runs only what came after", async () => {
    const since = night.time + 1_000;
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
    night.time = since + 120_000;
    await tell(
      batchOf({ run: { id: "run-spans-001" }, report: { status: "complete", costUsd: 3, endedAt: ended } }),
      "spans",
    );
    const { totals } = await overview(`?since=${iso(since)}`);
    expect(totals).toMatchObject({ done: 2, commits: 2, unpriced: 0 });
    expect(totals.costUsd).toBeCloseTo(2.25 + 0.5); // and the run that was begun again
  });

  test("what no agent told is unknown, and not free", async () => {
    const since = night.time + 1_000;
    night.time = since + 120_000;
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
      fetch(`${night.server().url}/api/night`, {
        headers: { authorization: `Bearer ${night.admin}`, "accept-encoding": encoding },
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
      JSON.parse((await night.ask(method, path, { as: night.admin, body })).text) as {
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
    await fetch(`${night.server().url}/api/deployments/${deployment.id}/assets?path=index.html`, {
      method: "PUT",
      headers: { authorization: `Bearer ${night.admin}` },
      body: html,
    });
    await ask("POST", `/api/deployments/${deployment.id}/activate`, undefined);
    expect(await published()).toMatchObject([
      { status: "active", url: expect.stringContaining("//atlas.") as string },
    ]);
    expect(
      (
        await night.ask("POST", "/api/sites/atlas/deployments", {
          as: night.admin,
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

  test("takes a patch of 256 KiB in any script, and refuses more in words", async () => {
    const patch = (length: number) => [{ kind: "commits", session: 1, data: {}, text: "界".repeat(length) }];
    const run = { id: "run-large-001" };
    expect((await tell(batchOf({ run, events: patch(256 * 1024) }), "large")).status).toBe(200);
    expect((await tell(batchOf({ run, events: patch(300_001) }, 2), "large")).status).toBe(400);
    expect((await tell(batchOf({ run, events: patch(1_500_000) }, 3), "large")).status).toBe(413);
  });
});
