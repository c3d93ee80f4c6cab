import { once } from "node:events";
import { readFileSync } from "node:fs";
import { get, type IncomingMessage } from "node:http";
import { join } from "node:path";
import { text as readText } from "node:stream/consumers";
import { afterAll, beforeAll, expect, test } from "vitest";
import { describeEngines } from "../memory/fixtures/engines.ts";
import { type MemoryServer, startMemoryServer } from "../memory/fixtures/start-memory-server.ts";
import { batchOf } from "../night/fixtures/batches.ts";
import type { FetchedCommand } from "../night/schemas.ts";
import { connectMcp, type Era, ERAS } from "./fixtures/clients.ts";

const MEMORY = ["recall", "learn", "outcome"];
const WORKERS = ["workers_report", "worker_start", "worker_stop"];

describeEngines((engine) => {
  let server: MemoryServer;
  let admin = "";
  beforeAll(async () => {
    server = await startMemoryServer(await engine.environment());
    admin = readFileSync(join(server.settings.home, "admin-token"), "utf8").trim();
  });
  afterAll(() => server.stop());

  const makeToken = async (actions: string[], site?: string): Promise<string> => {
    const body = { actions, ...(site === undefined ? {} : { site }) };
    const made = await server.ask("POST", "/api/tokens", { as: admin, body });
    return (JSON.parse(made.text) as { token: string }).token;
  };
  const tell = (worker: string, host: string, id: string, status = "running") =>
    server.ask("POST", `/api/fleet/${host}/${worker}/events`, {
      body: batchOf({ run: { id }, report: { status } }),
    });
  /** A host as its supervisor or steerer is: fetches what is asked, and says what became of it. */
  const fetchCommands = async (host: string, poll: object): Promise<FetchedCommand[]> => {
    const body = { waitSeconds: 20, acks: [], ...poll };
    const answer = await server.ask("POST", `/api/fleet/${host}/commands`, { body });
    return (JSON.parse(answer.text) as { commands: FetchedCommand[] }).commands;
  };
  const acknowledge = (host: string, id: string, state: string, detail?: string) => {
    const acks = [{ id, state, ...(detail === undefined ? {} : { detail }) }];
    return server.ask("POST", `/api/fleet/${host}/commands`, { body: { workers: [], acks } });
  };
  const nameOf = (what: string, era: Era) => `${what}-${era.slice(0, 4)}`;

  test.each(ERAS)("%s: a token is offered what it may do, and refused the rest", async (era) => {
    const offered = async (bearer?: string) => {
      const client = await connectMcp(server, era, bearer);
      const names = (await client.list()).map(({ name }) => name);
      await client.close();
      return names;
    };
    expect(await offered()).toEqual(MEMORY);
    expect(await offered(server.key)).toEqual(MEMORY);
    expect(await offered(admin)).toEqual([...MEMORY, ...WORKERS, "publish"]);
    expect(await offered(await makeToken(["watch"]))).toEqual([...MEMORY, "workers_report"]);
    expect(await offered(await makeToken(["steer"]))).toEqual([...MEMORY, ...WORKERS]);
    expect(await offered(await makeToken(["upload"], "docs"))).toEqual([...MEMORY, "publish"]);

    await tell(nameOf("kept", era), "build-1", `run-kept-${era}`);
    for (const bearer of [undefined, server.key, await makeToken(["watch"]), await makeToken(["upload"])]) {
      const client = await connectMcp(server, era, bearer);
      expect(await client.call("worker_stop", { worker: nameOf("kept", era) })).toMatchObject({
        isError: true,
      });
      await client.close();
    }
    const run = await server.ask("GET", `/api/night/runs/run-kept-${era}`, { as: admin });
    expect(JSON.parse(run.text)).toMatchObject({ commands: [] });
  });

  test.each(ERAS)("%s: a stop is sent, received and done, and the answer says which", async (era) => {
    const worker = nameOf("docs", era);
    await tell(worker, "build-1", `run-docs-${era}`);
    const client = await connectMcp(server, era, await makeToken(["steer"]));
    const asked = client.call("worker_stop", { worker });
    const [command] = await fetchCommands("build-1", { worker });
    expect(command).toMatchObject({ worker, action: "stop" });
    await acknowledge("build-1", command?.id ?? "", "received");
    const report = JSON.parse((await client.call("workers_report", { worker })).text) as object;
    expect(report).toMatchObject({ run: { worker, host: "build-1" }, asked: [{ state: "received" }] });
    await acknowledge("build-1", command?.id ?? "", "done", "stopped after session 1");
    expect(JSON.parse((await asked).text)).toEqual({
      worker,
      host: "build-1",
      action: "stop",
      state: "done",
      detail: "stopped after session 1",
    });
    await client.close();
  });

  test.each(ERAS)("%s: one that has ended starts again, and failing to is said", async (era) => {
    const worker = nameOf("ended", era);
    await tell(worker, "build-1", `run-ended-${era}`, "failed");
    const client = await connectMcp(server, era, await makeToken(["steer"]));
    const asked = client.call("worker_start", { worker });
    const [command] = await fetchCommands("build-1", { workers: [worker] });
    expect(command).toMatchObject({ worker, action: "resume" });
    await acknowledge("build-1", command?.id ?? "", "failed", "its folder is gone");
    expect(JSON.parse((await asked).text)).toMatchObject({ state: "failed", detail: "its folder is gone" });
    expect(await client.call("worker_stop", { worker })).toMatchObject({
      isError: true,
      text: expect.stringContaining("there is nothing to stop"),
    });
    await client.close();
  });

  test.each(ERAS)(
    "%s: a name that two hosts have needs the host, and one that none has is said",
    async (era) => {
      const worker = nameOf("twice", era);
      await tell(worker, "build-1", `run-twice-1-${era}`);
      await tell(worker, "build-2", `run-twice-2-${era}`);
      const client = await connectMcp(server, era, await makeToken(["steer"]));
      expect(await client.call("workers_report", { worker })).toMatchObject({
        isError: true,
        text: expect.stringMatching(/build-[12], build-[12]: say which in host/),
      });
      const { text } = await client.call("workers_report", { worker, host: "build-2" });
      expect(JSON.parse(text)).toMatchObject({ run: { host: "build-2" } });
      expect((await client.call("workers_report", { worker: "nobody" })).text).toContain('worker "nobody"');
      const night = JSON.parse((await client.call("workers_report", {})).text) as { running: object[] };
      expect(night.running.length).toBeGreaterThan(1);
      expect(night.running[0]).not.toHaveProperty("curve");
      await client.close();
    },
  );

  test.each(ERAS)("%s: what a tool steers and puts live is in the security log", async (era) => {
    const worker = nameOf("logged", era);
    await tell(worker, "build-1", `run-logged-${era}`);
    const client = await connectMcp(server, era, admin);
    const asked = client.call("worker_stop", { worker, now: true });
    const [command] = await fetchCommands("build-1", { worker });
    await acknowledge("build-1", command?.id ?? "", "done");
    await asked;
    const site = nameOf("logged", era);
    await client.call("publish", { site, files: [{ path: "index.html", text: "<p>" }] });
    await client.close();
    const { text } = await server.ask("GET", "/api/security-log", { as: admin });
    expect(text).toContain(`stop-now for ${worker} on build-1`);
    expect(text).toMatch(/"activation"/);
  });

  test.each(ERAS)("%s: a site of one call is live, or waits for somebody who may activate", async (era) => {
    const site = nameOf("site", era);
    const files = [
      { path: "index.html", text: "<h1>Grüße</h1>" },
      { path: "copy.html", text: "<h1>Grüße</h1>" },
      { path: "dot.gif", base64: "R0lGODlhAQABAAAAACw=" },
    ];
    const full = await connectMcp(server, era, await makeToken(["upload", "activate"], site));
    const live = JSON.parse((await full.call("publish", { site, files })).text) as {
      url: string;
      status: string;
    };
    expect(live.status).toBe("live");
    const shown = async (path: string): Promise<string> => {
      const host = `${site}.localhost:${new URL(server.url).port}`;
      const [answer] = (await once(get(server.url + path, { headers: { host } }), "response")) as [
        IncomingMessage,
      ];
      return readText(answer);
    };
    expect(live.url).toContain(`//${site}.localhost`);
    expect(await shown("/copy")).toBe("<h1>Grüße</h1>");
    const active = async () =>
      (
        JSON.parse((await server.ask("GET", `/api/sites/${site}/deployments`, { as: admin })).text) as {
          deployments: { id: string; status: string; files: number; bytes: number }[];
        }
      ).deployments;
    expect(await active()).toMatchObject([{ status: "active", files: 3 }]);

    const half = await connectMcp(server, era, await makeToken(["upload"], site));
    const second = { site, files: [{ path: "index.html", text: "<h1>Next</h1>" }] };
    const waiting = JSON.parse((await half.call("publish", second)).text) as Record<string, string>;
    expect(waiting).toMatchObject({
      status: "waits for approval",
      approve: `${server.url}/app/sites/${site}`,
      previewUrl: expect.stringContaining("http"),
    });
    expect((await active()).map(({ status }) => status)).toEqual(["pending", "active"]);
    expect(JSON.parse((await full.call("publish", { ...second, preview: true })).text)).toMatchObject({
      status: "preview",
    });
    for (const wrong of [
      { site, files: [{ path: "page.html", text: "no index" }] },
      { site, files: [{ path: "../index.html", text: "" }] },
      { site, files: [{ path: "index.html" }] },
      { site, files: [{ path: "index.html", base64: "%%" }] },
      { site: "another", files },
    ])
      expect(await full.call("publish", wrong)).toMatchObject({ isError: true });
    expect((await active()).filter(({ status }) => status === "active")).toHaveLength(1);
    expect(await shown("/")).toBe("<h1>Grüße</h1>");
    await Promise.all([full.close(), half.close()]);
  });
});
