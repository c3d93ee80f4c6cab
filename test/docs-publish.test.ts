import { spawn } from "node:child_process";
import { once } from "node:events";
import { resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createPublisher, type Publisher } from "../server/fixtures/http-client.ts";
import { startTestServer, type TestServer } from "../server/fixtures/test-server.ts";
import { hasChromium, openChromium } from "./chromium.ts";

let server: TestServer;
let visitor: Publisher;

beforeAll(async () => {
  server = await startTestServer("node");
  visitor = createPublisher(server.port, server.adminToken);
  const child = spawn("npm", ["run", "--silent", "docs:publish"], {
    cwd: resolve(import.meta.dirname, ".."),
    env: {
      ...process.env,
      NODE_ENV: "production",
      NIGHTSHIFT_URL: `http://127.0.0.1:${server.port}`,
      NIGHTSHIFT_TOKEN: server.adminToken,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let said = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk: Buffer) => {
      said += chunk.toString();
    });
  const [code] = (await once(child, "close")) as [number | null];
  if (code !== 0) throw new Error(`npm run docs:publish ended with ${code}:\n${said}`);
}, 300_000);
afterAll(() => server.stop());

test("the project's own documentation is built and published with one command", async () => {
  const page = await visitor.visit("docs", "/publishing");
  expect([page.status, page.text]).toEqual([200, expect.stringContaining("How do I publish a site?")]);
  expect((await visitor.visit("docs", "/")).text).toContain("What is Nightshift?");
  const missing = await visitor.visit("docs", "/nowhere", { headers: { accept: "text/html" } });
  expect([missing.status, missing.text]).toEqual([404, expect.stringContaining("404")]);
  const script = /src="(\/assets\/app\.[^"]+\.js)"/.exec(page.text)?.[1] ?? "";
  expect((await visitor.visit("docs", script)).headers["content-type"]).toMatch(/^text\/javascript/);
});

test.skipIf(!hasChromium)(
  "the published documentation works in a browser and asks nobody else for anything",
  async () => {
    const browser = await openChromium();
    const page = await browser.context.newPage();
    const problems: string[] = [];
    page.on("pageerror", (error) => problems.push(error.message));
    page.on("response", (response) => {
      if (response.status() >= 400) problems.push(`${response.status()} ${response.url()}`);
    });
    page.on("request", (request) => {
      if (new URL(request.url()).hostname !== "docs.localhost") problems.push(`asked ${request.url()}`);
    });
    await page.goto(`http://docs.localhost:${server.port}/app`);
    await page.getByRole("link", { name: "How do I publish a site?" }).first().click();
    await page.getByRole("heading", { name: "How do I publish a site?", level: 1 }).waitFor();
    expect(new URL(page.url()).pathname).toBe("/publishing");
    expect(problems).toEqual([]);
    await browser.close();
  },
);
