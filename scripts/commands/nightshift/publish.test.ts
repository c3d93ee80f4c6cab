import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer, request as httpRequest } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { createPublisher, type Publisher } from "../../../server/fixtures/http-client.ts";
import { startTestServer, type TestServer } from "../../../server/fixtures/test-server.ts";
import { bunBinary } from "../../../test/bun.ts";

const nightshift = resolve(import.meta.dirname, "../../nightshift.ts");
let server: TestServer;
let visitor: Publisher;
let folder: string;
let count = 0;
let site = "";

const write = (path: string, content: string | Buffer) => {
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
};

type Ran = { code: number | null; stdout: string; stderr: string };
type Env = Record<string, string>;

const start = (words: string[], env: Env = {}) =>
  spawn(bunBinary(), [nightshift, ...words], {
    cwd: folder,
    env: {
      PATH: process.env["PATH"] ?? "",
      HOME: server.home,
      NIGHTSHIFT_HOME: server.home,
      NIGHTSHIFT_URL: `http://127.0.0.1:${server.port}`,
      ...env,
    },
  });

const run = async (words: string[], env: Env = {}): Promise<Ran> => {
  const child = start(words, env);
  const out = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const)
    child[name].on("data", (chunk: Buffer) => {
      out[name] += chunk.toString();
    });
  const [code] = (await once(child, "close")) as [number | null];
  return { code, ...out };
};

beforeAll(async () => {
  server = await startTestServer("node");
  visitor = createPublisher(server.port, server.adminToken);
});
afterAll(() => server.stop());
beforeEach(() => {
  site = `cli-${++count}`;
  folder = mkdtempSync(join(tmpdir(), "nightshift-publish-"));
  write("index.html", `<h1>${site}</h1>`);
  return () => rmSync(folder, { recursive: true, force: true });
});

test("publishes a folder, leaves out what is hidden or leads out, and says where it is live", async () => {
  write("assets/app.js", "1");
  write(".env", "SECRET=1");
  write(".well-known/security.txt", "Contact: x");
  symlinkSync("/etc/hostname", join(folder, "leak.txt"));
  const ran = await run(["publish", ".", "--site", site]);
  expect(ran).toMatchObject({ code: 0 });
  expect(ran.stdout.split("\n")[0]).toBe(`live: http://${site}.localhost:${server.port}/`);
  expect(ran.stderr).toMatch(/left out: \.env, leak\.txt \(a link out of the folder/);
  expect((await visitor.visit(site, "/")).text).toBe(`<h1>${site}</h1>`);
  expect((await visitor.visit(site, "/.well-known/security.txt")).status).toBe(200);
  expect((await visitor.visit(site, "/leak.txt")).status).toBe(404);
});

test("uploads only what is new, and nothing when nothing has changed", async () => {
  write("same.bin", Buffer.alloc(100_000, site));
  await run(["publish", ".", "--site", site]);
  const again = await run(["publish", ".", "--site", site]);
  expect([again.code, again.stdout]).toEqual([0, expect.stringContaining("is up to date")]);
  write("new.txt", `new ${site}`);
  const changed = JSON.parse((await run(["publish", ".", "--site", site, "--json"])).stdout) as Record<
    string,
    unknown
  >;
  expect(changed).toMatchObject({
    uploadedFiles: 1,
    changed: true,
    plan: { added: ["new.txt"], changed: [], removed: [], unchanged: 2 },
    siteUrl: `http://${site}.localhost:${server.port}/`,
  });
});

test("shows a preview without going live, and a dry run without creating anything", async () => {
  const dry = await run(["publish", ".", "--site", site, "--dry-run"]);
  expect([dry.code, dry.stdout]).toEqual([0, expect.stringMatching(/would change: 1 added/)]);
  expect((await visitor.send({ path: `/api/sites/${site}` })).status).toBe(404);
  const preview = await run(["publish", ".", "--site", site, "--preview"]);
  const url = /preview: (\S+)/.exec(preview.stdout)?.[1] ?? "";
  expect(new URL(url).hostname).toMatch(new RegExp(`^[0-9a-z]{16}--${site}\\.localhost$`));
  expect((await visitor.visit(site, "/")).status).toBe(404);
});

test("sends again what gets lost on the way", async () => {
  let requests = 0;
  const proxy = createServer((incoming, outgoing) => {
    requests += 1;
    if (requests % 3 === 0) {
      incoming.socket.destroy();
      return;
    }
    const { host: _host, ...headers } = incoming.headers;
    const forward = httpRequest(
      { host: "127.0.0.1", port: server.port, method: incoming.method, path: incoming.url, headers },
      (answer) => {
        // Every eighth answer is lost after the server has done its work.
        if (requests % 8 === 0) {
          incoming.socket.destroy();
          return;
        }
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(outgoing);
      },
    );
    forward.on("error", () => incoming.socket.destroy());
    incoming.pipe(forward);
  });
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  for (let index = 0; index < 30; index++) write(`f/${index}.txt`, `${site} ${index}`);
  const port = (proxy.address() as AddressInfo).port;
  const ran = await run(["publish", ".", "--site", site, "--url", `http://127.0.0.1:${port}`, "--json"]);
  proxy.closeAllConnections();
  proxy.close();
  expect([ran.code, ran.stderr]).toEqual([0, ""]);
  expect((await visitor.visit(site, "/f/29.txt")).text).toBe(`${site} 29`);
  const { deployments } = (await visitor.send({ path: `/api/sites/${site}/deployments` })).json() as {
    deployments: unknown[];
  };
  expect(deployments).toHaveLength(1);
});

test("exits with the reason", async () => {
  const cases: [string[], number, RegExp, Env?][] = [
    [["publish", "nowhere", "--site", site], 66, /there is no folder/],
    [["publish", "."], 64, /--site is missing/],
    [["publish", ".", "--site", "a--b"], 65, /Invalid site name/],
    [
      ["publish", ".", "--site", site],
      77,
      /That token isn't valid on this server/,
      { NIGHTSHIFT_TOKEN: "x" },
    ],
    [["publish", ".", "--site", site], 77, /no token/, { NIGHTSHIFT_HOME: "/nowhere" }],
    [["publish", ".", "--site", site, "--url", "ftp://x"], 64, /not the address of a server/],
  ];
  for (const [words, code, reason, env] of cases) {
    const ran = await run(words, env);
    expect([words, ran.code, ran.stderr]).toEqual([words, code, expect.stringMatching(reason)]);
  }
  rmSync(join(folder, "index.html"));
  write("a.txt", "1");
  write("A.txt", "2");
  const faults = await run(["publish", ".", "--site", site]);
  expect(faults.code).toBe(65);
  expect(faults.stderr).toMatch(/differs only in case[\s\S]*index\.html is required/);
});

test("makes, lists and revokes tokens; one that may only upload cannot go live", async () => {
  const made = await run(["token", "create", "--site", site, "--can", "upload", "--expires", "30d"]);
  expect(made.code).toBe(0);
  const env = { NIGHTSHIFT_TOKEN: made.stdout.trim() };
  const refused = await run(["publish", ".", "--site", site], env);
  expect([refused.code, refused.stderr]).toEqual([
    77,
    expect.stringContaining("may not activate; it may upload"),
  ]);
  expect((await run(["publish", ".", "--site", site, "--preview"], env)).code).toBe(0);
  const tokens = JSON.parse((await run(["token", "list", "--json"])).stdout) as {
    id: string;
    site?: string;
  }[];
  const id = tokens.find((token) => token.site === site)?.id ?? "";
  expect((await run(["token", "revoke", id])).code).toBe(0);
  expect((await run(["publish", ".", "--site", site, "--preview"], env)).code).toBe(77);
  const wrong = await run(["token", "create", "--expires", "soon"]);
  expect([wrong.code, wrong.stderr]).toEqual([64, expect.stringContaining("write it as 90m, 12h")]);
});
