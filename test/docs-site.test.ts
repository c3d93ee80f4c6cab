// @module-tag long
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { globSync } from "glob";
import { afterAll, beforeAll, expect, test } from "vitest";
import { sideBar } from "../docs/.vitepress/groups.ts";
import { startTestServer, type TestServer } from "../server/fixtures/test-server.ts";
import { findViolations } from "./accessibility.ts";
import { hasChromium, openChromium, type TestBrowser } from "./chromium.ts";
import { createPublisher, type Publisher } from "../server/fixtures/http-client.ts";

// The site as readers get it: built from docs/, published to a server, and read in a browser.

const root = resolve(import.meta.dirname, "..");
const site = join(root, "docs/.vitepress/dist");
let server: TestServer;
let visitor: Publisher;

beforeAll(async () => {
  server = await startTestServer("node");
  visitor = createPublisher(server.port, server.adminToken);
  const child = spawn("npm", ["run", "--silent", "docs:publish"], {
    cwd: root,
    env: {
      ...process.env,
      NODE_ENV: "production",
      DOCS_URL: "https://docs.example/",
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
  // Of a page that could not be drawn it says only this, and goes on.
  expect(said).not.toMatch(/TypeError|ReferenceError/);
});
afterAll(() => server?.stop());

const readHtml = (file: string): string => readFileSync(join(site, file), "utf8");

test("every page of docs/ is in the side bar once, in its group, and the side bar names no other", () => {
  const there = globSync("*.md", { cwd: join(root, "docs") }).map((name) => name.slice(0, -".md".length));
  const bar = sideBar(there);
  const links = bar.flatMap(({ items }) => items.map(({ link }) => (link === "/" ? "index" : link.slice(1))));
  expect([...links].sort()).toEqual([...there].sort());
  expect(bar.slice(0, 7).map(({ text }) => text)).toEqual([
    "Start",
    "Run",
    "Verify",
    "Memory",
    "Publish",
    "Operate",
    "Reference",
  ]);
});

test("a page that is in no group yet stands at the end of the side bar", () => {
  expect(sideBar(["index", "new-page"]).at(-1)).toEqual({
    text: "More",
    items: [{ text: "new-page", link: "/new-page" }],
  });
});

/** The file that a server gives for an address of the site, without `.html`. */
const fileOf = (path: string): string | undefined =>
  [path, `${path}.html`, join(path, "index.html")].find(
    (file) => existsSync(join(site, file)) && /\.\w+$/.test(file),
  );

test("no link, picture or script of a built page leads nowhere, and no anchor is missing", () => {
  const pages = globSync("**/*.html", { cwd: site });
  expect(pages.length).toBeGreaterThan(30);
  const broken: string[] = [];
  let looked = 0;
  for (const page of pages)
    for (const [, address = ""] of readHtml(page).matchAll(/\s(?:href|src)="([^"]*)"/g)) {
      if (/^(?:[a-z]+:|\/\/)/.test(address)) continue;
      looked += 1;
      const [path = "", anchor] = decodeURI(address).split("#");
      const from = path.startsWith("/") ? path.slice(1) : join(dirname(page), path);
      const file = path === "" ? page : fileOf(from === "" ? "." : from);
      const hasAnchor =
        anchor === undefined ||
        anchor === "" ||
        (file !== undefined && new RegExp(`id="${anchor}"`, "i").test(readHtml(file)));
      if (file === undefined || !hasAnchor) broken.push(`${page}: ${address}`);
    }
  expect(looked).toBeGreaterThan(1000);
  expect(broken).toEqual([]);
});

test("a page shared with others comes with its card, whose picture is there", () => {
  const html = readHtml("index.html");
  expect(html).toContain('property="og:image" content="https://docs.example/social-card.png"');
  expect(html).toContain('href="/logo.svg"');
  const card = readFileSync(join(site, "social-card.png"));
  expect([card.readUInt32BE(16), card.readUInt32BE(20)]).toEqual([1200, 630]);
});

test("six screenshots and more are kept, each small", () => {
  const pictures = globSync("docs/images/*.webp", { cwd: root });
  expect(pictures.length).toBeGreaterThanOrEqual(6);
  for (const picture of pictures) expect(readFileSync(join(root, picture)).length).toBeLessThan(120_000);
});

test.skipIf(!hasChromium)(
  "the first page says what it is for, search finds phone and rollback, and axe finds nothing of ours",
  async () => {
    const browser: TestBrowser = await openChromium();
    try {
      const page = await browser.context.newPage();
      const problems: string[] = [];
      page.on("pageerror", (error) => problems.push(error.message));
      page.on("response", (response) => {
        if (response.status() >= 400) problems.push(`${response.status()} ${response.url()}`);
      });
      page.on("request", (request) => {
        if (new URL(request.url()).hostname !== "docs.localhost") problems.push(`asked ${request.url()}`);
      });
      await page.emulateMedia({ reducedMotion: "reduce" });
      await page.setViewportSize({ width: 1280, height: 900 });
      await page.goto(`http://docs.localhost:${server.port}/`);
      await page.getByText("Nightshift runs coding agents unattended").waitFor();
      for (const name of [/demo/, /Night page/]) {
        const picture = page.locator("main").getByRole("img", { name }).first();
        await picture.scrollIntoViewIfNeeded();
        await expect
          .poll(() => picture.evaluate((image) => (image as HTMLImageElement).naturalWidth))
          .toBeGreaterThan(300);
      }
      for (const [word, found] of [
        ["phone", /How do I see it on my phone/],
        ["rollback", /How do I roll back/],
      ] as const) {
        await page.keyboard.press("Control+k");
        await page.locator("#localsearch-input").fill(word);
        await page.locator("#localsearch-list").getByText(found).first().waitFor();
        await page.keyboard.press("Escape");
      }
      for (const width of [1280, 390]) {
        await page.setViewportSize({ width, height: 844 });
        const found = await findViolations(page);
        // VitePress names its search button "Search" and shows the shortcut beside that word.
        expect(found.filter((one) => !one.includes("DocSearch-Button"))).toEqual([]);
        expect(
          await page.evaluate(() => document.documentElement.scrollWidth - innerWidth),
        ).toBeLessThanOrEqual(0);
      }
      expect(problems).toEqual([]);
    } finally {
      await browser.close();
    }
  },
);

test("it is published with one command, scripts by their type, and an unknown page says so", async () => {
  const page = await visitor.visit("docs", "/publishing");
  expect([page.status, page.text]).toEqual([200, expect.stringContaining("How do I publish a site?")]);
  const script = /src="(\/assets\/app\.[^"]+\.js)"/.exec(page.text)?.[1] ?? "";
  expect((await visitor.visit("docs", script)).headers["content-type"]).toMatch(/^text\/javascript/);
  const missing = await visitor.visit("docs", "/nowhere", { headers: { accept: "text/html" } });
  expect([missing.status, missing.text]).toEqual([404, expect.stringContaining("404")]);
});
