import { readFileSync } from "node:fs";
import type { Page, Response } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findViolations } from "../../test/accessibility.ts";
import { hasChromium, openChromium, type TestBrowser } from "../../test/chromium.ts";
import { ask, createPublisher, type Publisher } from "../fixtures/http-client.ts";
import { startTestServer, type TestServer } from "../fixtures/test-server.ts";
import { chooseFolder, useFolders } from "./fixtures/app-visit.ts";

// One visit, each test going on where the one before it left the page.

const makeFolder = useFolders();
let server: TestServer;
let publisher: Publisher;
beforeAll(async () => {
  server = await startTestServer("node");
  publisher = createPublisher(server.port, server.adminToken);
});
afterAll(() => server.stop());

describe.skipIf(!hasChromium)("in Chromium", () => {
  let browser: TestBrowser;
  let page: Page;
  const complaints: string[] = [];
  const foreign: string[] = [];
  const failedBefore: string[] = [];
  const button = (name: string | RegExp) => page.getByRole("button", { name });

  const expectAccessible = async () => {
    for (const colorScheme of ["light", "dark"] as const)
      for (const width of [1280, 390]) {
        await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
        await page.setViewportSize({ width, height: 800 });
        expect(await findViolations(page)).toEqual([]);
        const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        expect(overflow).toBeLessThanOrEqual(0);
      }
    await page.emulateMedia({ colorScheme: "light" });
    await page.setViewportSize({ width: 1280, height: 800 });
  };

  beforeAll(async () => {
    browser = await openChromium();
    page = await browser.context.newPage();
    page.on("pageerror", (error) => complaints.push(error.message));
    page.on("console", (message) => {
      if (/Content Security Policy|TrustedType/i.test(message.text())) complaints.push(message.text());
    });
    page.on("request", (request) => {
      if (new URL(request.url()).host !== `localhost:${server.port}`) foreign.push(request.url());
    });
    const noteFailed = (response: Response) => {
      if (response.status() >= 400) failedBefore.push(response.url());
    };
    page.on("response", noteFailed);
    await page.goto(`http://localhost:${server.port}/app`);
    await page.getByLabel("Token").waitFor();
    expect(await page.locator(".command code").textContent()).toBe(`cat ${server.home}/admin-token`);
    page.off("response", noteFailed);
  });
  afterAll(() => browser.close());

  test("signs in with a token, after saying what is wrong with another", async () => {
    await page.getByLabel("Token").fill("wrong");
    await page.keyboard.press("Enter");
    await expect.poll(() => page.getByRole("alert").textContent()).toContain("isn't valid on this server");
    await expectAccessible();
    await page.getByLabel("Token").fill(server.adminToken);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Night" }).waitFor();
    await page.getByText("No workers yet").waitFor();
    await expectAccessible();
    await page.getByRole("link", { name: "Sites" }).click();
    await page.getByRole("heading", { name: "Sites" }).waitFor();
    const [cookie] = await browser.context.cookies();
    expect(cookie).toMatchObject({
      name: expect.stringMatching(/^nightshift-session-[0-9a-f]{16}$/),
      httpOnly: true,
      sameSite: "Strict",
      path: "/",
    });
    expect(cookie?.domain).toBe("localhost");
    await page.getByText("No sites yet").waitFor();
    await expectAccessible();
  });

  test("publishes a dropped-in folder with its tree, from choosing to live, by keyboard", async () => {
    const folder = makeFolder({
      "index.html": "<h1>first</h1>",
      "deep/er/file.txt": "deep",
      "big.bin": Buffer.alloc(300_000, 1),
      ".env": "SECRET",
    });
    await page.getByRole("textbox", { name: "New site" }).fill("No Good");
    await page.keyboard.press("Enter");
    await page.getByText("Use lowercase letters").waitFor();
    const refused: string[] = [];
    const noteRefused = (response: Response) => {
      if (response.status() >= 400) refused.push(response.url());
    };
    page.on("response", noteRefused);
    await page.getByRole("textbox", { name: "New site" }).fill("shop");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "shop", level: 1 }).waitFor();
    expect(await page.evaluate(() => document.activeElement?.tagName)).toBe("H1");
    await chooseFolder(page, folder);
    await button("Publish now").waitFor();
    expect(await page.getByText("deep/er/file.txt").isVisible()).toBe(true);
    await page.getByText("1 hidden file left out").waitFor();
    await expectAccessible();
    await page.getByLabel("Note for the history").fill("The first one");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.getByText("now shows what you published").waitFor();
    page.off("response", noteRefused);
    expect(refused, "a new site is no error in the console").toEqual([]);
    expect((await publisher.visit("shop", "/deep/er/file.txt")).text).toBe("deep");
    expect((await publisher.visit("shop", "/.env")).status).toBe(404);
    await expectAccessible();
  });

  test("takes a folder that is dropped on the page, tree and all", async () => {
    const folder = makeFolder({ "index.html": "<h1>dropped</h1>", "a/b/c.txt": "c" });
    await button("Publish again").click();
    const zone = await page.getByText("Drop a folder or a zip here").boundingBox();
    const { x, y } = { x: (zone?.x ?? 0) + 5, y: (zone?.y ?? 0) + 5 };
    const devtools = await browser.context.newCDPSession(page);
    const data = { items: [], files: [folder], dragOperationsMask: 1 };
    for (const type of ["dragEnter", "dragOver", "drop"] as const)
      await devtools.send("Input.dispatchDragEvent", { type, x, y, data });
    await button("Publish now").waitFor();
    expect(await page.getByText("a/b/c.txt").isVisible()).toBe(true);
    await button("Upload as a preview").click();
    await page.getByRole("heading", { name: "Preview ready" }).waitFor();
    expect((await publisher.visit("shop", "/")).text).toBe("<h1>first</h1>");
    await expectAccessible();
    await button("Go live").first().click();
    await page.getByText("now shows what you published").waitFor();
    expect((await publisher.visit("shop", "/a/b/c.txt")).text).toBe("c");
  });

  test("shows what a rollback changes, and does it with one click", async () => {
    await button(/Compare with live ?: The first one/).click();
    await page.getByText("2 files added, 1 changed, 1 removed.").waitFor();
    await expectAccessible();
    await button(/Roll back to this.*The first one/).click();
    await page.getByText("The first one is live.").waitFor();
    expect((await publisher.visit("shop", "/")).text).toBe("<h1>first</h1>");
    await button(/^Pin.*The first one/).click();
    await page.getByText("Pinned: kept until you unpin it.").waitFor();
  });

  test("refuses what is beyond the limits before anything is sent", async () => {
    await page.goto(`http://localhost:${server.port}/app/sites/shop`);
    await chooseFolder(
      page,
      makeFolder({ "pages/index.html": "x", "large.bin": Buffer.alloc(11 * 1024 * 1024) }),
    );
    const alert = page.getByRole("alert");
    await expect
      .poll(() => alert.textContent())
      .toContain("large.bin is 11.0 MiB; the limit is 10 MiB per file.");
    expect(await alert.textContent()).toContain("No index.html at the top level.");
    await expectAccessible();
  });

  test("says which file was refused, begins no other, and keeps the folder to try again", async () => {
    const names = Array.from({ length: 6 }, (_, nth) => `file-${nth}.txt`);
    const folder = makeFolder({
      "index.html": "<h1>third</h1>",
      ...Object.fromEntries(names.map((name) => [name, `of ${name}`])),
    });
    const asked: string[] = [];
    let refuse = (): void => {};
    const isRefused = new Promise<void>((resolve) => (refuse = resolve));
    await page.route("**/assets?path=*", async (route) => {
      const path = new URL(route.request().url()).searchParams.get("path") ?? "";
      asked.push(path);
      if (path === "file-1.txt") {
        await route.fulfill({
          status: 400,
          contentType: "application/problem+json",
          body: '{"error":"refused"}',
        });
        refuse();
        return;
      }
      await isRefused;
      await route.continue();
    });
    await page.goto(`http://localhost:${server.port}/app/sites/shop`);
    await chooseFolder(page, folder);
    const answered = page.waitForEvent("requestfinished", (request) =>
      request.url().includes("path=file-0.txt"),
    );
    await button("Publish now").click();
    await expect.poll(() => page.getByRole("alert").textContent()).toContain("refused");
    await answered;
    expect(await page.getByRole("alert").textContent()).toContain("file-1.txt");
    await button("Try again").waitFor();
    expect(await page.getByText("Uploading").count()).toBe(0);
    expect(asked.length).toBeLessThan(names.length + 1);
    await expectAccessible();
    await page.unroute("**/assets?path=*");
    expect((await publisher.visit("shop", "/")).text).toBe("<h1>first</h1>");
    await button("Try again").click();
    await page.getByText("now shows what you published").waitFor();
    expect((await publisher.visit("shop", "/file-1.txt")).text).toBe("of file-1.txt");
    const waiting = await publisher.send({ path: "/api/sites/shop/deployments" });
    expect(waiting.text).not.toContain("pending");
  });

  test("makes a token that is shown once, and revokes it only by its name", async () => {
    await page.getByRole("link", { name: "Tokens" }).click();
    await page.getByLabel("For").selectOption("shop");
    await page.getByLabel("Name").fill("pipeline");
    await page.getByLabel("Your token").fill("wrong");
    await button("Create token").click();
    await expect.poll(() => page.getByRole("alert").textContent()).toContain("isn't valid on this server");
    await page.getByLabel("Your token").fill(server.adminToken);
    await button("Create token").click();
    await page.getByText("Copy it now").waitFor();
    const secret = (await page.locator(".notice code").textContent()) ?? "";
    expect((await createPublisher(server.port, secret).send({ path: "/api/me" })).json()).toMatchObject({
      site: "shop",
    });
    await expectAccessible();
    await button(/Revoke… ?pipeline/).click();
    const confirm = page.getByRole("dialog").getByRole("button", { name: "Revoke token" });
    expect(await confirm.isDisabled()).toBe(true);
    await expectAccessible();
    await page.getByRole("dialog").getByRole("textbox").fill("pipeline");
    await confirm.click();
    await page.getByRole("rowheader", { name: "pipeline" }).waitFor({ state: "detached" });
    expect((await createPublisher(server.port, secret).send({ path: "/api/me" })).status).toBe(401);
  });

  test("shows the security log, verifies it, and saves it whole", async () => {
    await page.getByRole("link", { name: "Security" }).click();
    await page
      .getByRole("cell", { name: /Sign-in/ })
      .first()
      .waitFor();
    await page
      .getByRole("cell", { name: /Token created/ })
      .first()
      .waitFor();
    await expectAccessible();
    await button("Verify the log").click();
    await page.getByText(/all \d+ lines match their digests/).waitFor();
    const saved = page.waitForEvent("download");
    await button("Download").click();
    const lines = readFileSync(await (await saved).path(), "utf8")
      .trim()
      .split("\n");
    expect(JSON.parse(lines[0] ?? "")).toMatchObject({ number: 1, previous: "", principal: "this server" });
    expect(lines.join("")).not.toContain(server.adminToken.slice(11, 54));
  });

  test("stays signed in over a reload and in another tab, and no request failed before the sign-in", async () => {
    await page.reload();
    await page.getByRole("heading", { name: "Security log" }).waitFor();
    const tab = await browser.context.newPage();
    await tab.goto(`http://localhost:${server.port}/app/sites`);
    await tab.getByRole("link", { name: "shop", exact: true }).waitFor();
    await tab.close();
    expect(failedBefore).toEqual([]);
  });

  test("deletes a site only by its name, and signs out for good", async () => {
    await publisher.publish("blog", { "index.html": "<h1>blog</h1>" });
    await page.goto(`http://localhost:${server.port}/app/sites/blog`);
    await button("Delete site…").click();
    await page.getByRole("dialog").getByRole("textbox").fill("blog");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Sites" }).waitFor();
    expect((await publisher.visit("blog", "/")).status).toBe(404);
    const cookie = (await browser.context.cookies()).map(({ name, value }) => `${name}=${value}`).join("; ");
    const { session = "" } = JSON.parse(
      await page.evaluate(() => localStorage.getItem("nightshift-session") ?? ""),
    ) as { session?: string };
    const headers = { cookie, "x-nightshift-session": session };
    expect((await ask(server.port, { path: "/api/me", headers })).status).toBe(200);
    await button("Sign out").click();
    await page.getByText("You are signed out.").waitFor();
    expect((await ask(server.port, { path: "/api/me", headers })).status).toBe(401);
  });

  test("asked nobody else for anything, and broke none of its own rules", () => {
    expect(complaints).toEqual([]);
    expect(foreign).toEqual([]);
  });
});
