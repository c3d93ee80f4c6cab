// @module-tag long

import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findViolations } from "../../test/accessibility.ts";
import { hasChromium, openChromium, type TestBrowser } from "../../test/chromium.ts";
import { createPublisher, type Publisher } from "../fixtures/http-client.ts";
import { startTestServer, type TestServer } from "../fixtures/test-server.ts";
import { signIn } from "./fixtures/app-visit.ts";

// One visit, each test going on where the one before it left the page.

describe.skipIf(!hasChromium)("a change that waits for a person, in Chromium", () => {
  let server: TestServer;
  let publisher: Publisher;
  let browser: TestBrowser;
  let page: Page;
  let link: string;
  const open = (path: string) => page.goto(`http://localhost:${server.port}${path}`);
  const expectAccessible = async () => {
    for (const colorScheme of ["light", "dark"] as const)
      for (const width of [1280, 390]) {
        await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
        await page.setViewportSize({ width, height: 800 });
        expect(await findViolations(page)).toEqual([]);
        expect(
          await page.evaluate(() => document.documentElement.scrollWidth - innerWidth),
        ).toBeLessThanOrEqual(0);
      }
  };

  beforeAll(async () => {
    server = await startTestServer("node");
    publisher = createPublisher(server.port, server.adminToken);
    await publisher.publish("docs", { "index.html": "<h1>first</h1>" });
    browser = await openChromium();
    page = await browser.context.newPage();
    await signIn(page, { port: server.port, token: server.adminToken });
  });
  afterAll(async () => {
    await browser?.close();
    await server?.stop();
  });

  test("is prepared by a form that says what is asked for without marks of its source", async () => {
    const files = { "index.html": "<h1>second</h1>", "new.html": "new" };
    const created = await publisher.create("docs", files, { message: "The second" });
    await publisher.upload(created, files);
    await open("/__companion/");
    await page.getByRole("link", { name: "activateDeployment" }).click();
    expect(await page.locator("main").textContent()).not.toContain("`");
    await page.locator("input[name=id]").fill(created.deployment.id);
    await page.getByRole("button", { name: "Review change" }).click();
    await page.getByRole("heading", { name: "Put this deployment live on docs?" }).waitFor();
    await page.getByText("The second").waitFor();
    await page.getByText("new.html").waitFor();
    const preview = page.getByRole("link", { name: "Open the preview" });
    expect(await preview.getAttribute("target")).toBe("_blank");
    expect(await page.locator("dd time").first().textContent()).not.toContain("UTC");
    link = new URL(page.url()).pathname;
    await expectAccessible();
  });

  test("stands under Needs you on the Night page though nobody has ever worked here", async () => {
    await open("/app");
    const needs = page.getByRole("region", { name: "Needs you" });
    await needs.getByRole("link", { name: "Review: put deployment live on docs" }).waitFor();
    await page.getByText("No workers yet").waitFor();
    await expectAccessible();
    await page.getByRole("link", { name: "Sites" }).click();
    await page.getByRole("link", { name: "1 change waits for you" }).waitFor();
    await expectAccessible();
  });

  test("is in the companion's list in the same words, beside the way out", async () => {
    await open("/__companion/");
    await page.getByRole("link", { name: "Review: put deployment live on docs" }).waitFor();
    await page.getByRole("navigation").getByRole("link", { name: "Tokens" }).waitFor();
    await expectAccessible();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    expect(new URL(page.url()).pathname).toBe("/app");
  });

  test("is led back to by signing in from its link, and done when it is approved on a phone", async () => {
    await page.setViewportSize({ width: 390, height: 800 });
    await open(link);
    await page.getByText("Sign in to review this request.").waitFor();
    await expectAccessible();
    await page.getByRole("link", { name: "Sign in" }).click();
    await page.getByLabel("Token").fill(server.adminToken);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Put this deployment live on docs?" }).waitFor();
    expect(new URL(page.url()).pathname).toBe(link);
    await page.getByRole("button", { name: "Approve and send" }).click();
    await page.getByText("approved and done").waitFor();
    expect((await publisher.visit("docs", "/")).text).toBe("<h1>second</h1>");
    await open("/app");
    await page.getByText("No workers yet").waitFor();
    expect(await page.getByRole("region", { name: "Needs you" }).count()).toBe(0);
  });
});
