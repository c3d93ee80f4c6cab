// @module-tag long

import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Page } from "playwright-core";
import { hasChromium, openChromium, type TestBrowser } from "../../test/chromium.ts";
import { createPublisher } from "../fixtures/http-client.ts";
import { startTestServer, type TestServer } from "../fixtures/test-server.ts";
import { signIn } from "./fixtures/app-visit.ts";

describe.skipIf(!hasChromium)("the page on a phone, in Chromium", () => {
  let server: TestServer;
  let browser: TestBrowser;
  let page: Page;
  beforeEach(async () => {
    server = await startTestServer("node");
    browser = await openChromium();
    page = await browser.context.newPage();
    await page.setViewportSize({ width: 390, height: 640 });
  });
  afterEach(async () => {
    await browser?.close();
    await server?.stop();
  });

  test("can be kept among the programs: Chromium finds nothing that is in the way", async () => {
    await page.goto(`http://localhost:${server.port}/app`);
    const devtools = await browser.context.newCDPSession(page);
    const { installabilityErrors } = await devtools.send("Page.getInstallabilityErrors");
    // A test's browser keeps nothing; a person's does.
    expect(installabilityErrors.map(({ errorId }) => errorId).filter((id) => id !== "in-incognito")).toEqual(
      [],
    );
  });

  test("keeps the line of pages in sight while one scrolls, and what has the focus beside it", async () => {
    const publisher = createPublisher(server.port, server.adminToken);
    for (let nth = 0; nth < 8; nth++)
      await publisher.publish("docs", { "index.html": `<h1>${nth}</h1>` }, { message: `Number ${nth}` });
    await signIn(page, { port: server.port, token: server.adminToken });
    await page.goto(`http://localhost:${server.port}/app/sites/docs`);
    await page.getByText("Number 0", { exact: true }).waitFor();
    await page.evaluate(() => scrollTo(0, document.body.scrollHeight));
    const nav = page.getByRole("navigation", { name: "Main" });
    await expect.poll(async () => (await nav.boundingBox())?.y ?? -1).toBeGreaterThanOrEqual(0);
    const line = await nav.boundingBox();
    expect((line?.y ?? 0) + (line?.height ?? 0)).toBeLessThan(80);
    const small = page.locator("main button, main a.button");
    for (const box of await Promise.all((await small.all()).map((one) => one.boundingBox())))
      expect(box?.height).toBeGreaterThanOrEqual(40);
    for (let presses = 0; presses < 12; presses++) {
      await page.keyboard.press("Shift+Tab");
      const hidden = await page.evaluate(() => {
        const one = document.activeElement;
        const head = document.querySelector("header")?.getBoundingClientRect().bottom ?? 0;
        return one?.closest("main") ? one.getBoundingClientRect().top < head : false;
      });
      expect(hidden).toBe(false);
    }
  });

  test("says what there is not, and where a token is that works no more", async () => {
    await signIn(page, { port: server.port, token: server.adminToken });
    const answer = await page.goto(`http://localhost:${server.port}/app/nope`);
    expect(answer?.status()).toBe(404);
    await page.getByRole("heading", { name: "Page not found" }).waitFor();
    await page.goto(`http://localhost:${server.port}/app/tokens`);
    await page.getByRole("button", { name: "Revoke…" }).click();
    await page.getByRole("dialog").getByRole("textbox").fill("admin");
    await page.keyboard.press("Enter");
    await page.getByText("You revoked your own token").waitFor();
    await page.reload();
    await page.getByText("Restart the server: it writes a new one").waitFor();
    expect(await page.locator(".command").count()).toBe(0);
  });

  test("says before anything is chosen that plain http is not enough, and where sites can be reached", async () => {
    await server.stop();
    server = await startTestServer("node", { env: { ALLOWED_HOSTS: "phone.test" } });
    const publisher = createPublisher(server.port, server.adminToken);
    await publisher.publish("docs", { "index.html": "x" });
    const made = (await publisher.sendJson("/api/tokens", { actions: ["upload"] })).json() as {
      token: string;
    };
    const host = `phone.test:${server.port}`;
    await browser.close();
    browser = await openChromium({ args: ["--host-resolver-rules=MAP phone.test 127.0.0.1"] });
    page = await browser.context.newPage();
    await page.goto(`http://${host}/app`);
    await page.getByLabel("Token").fill(made.token);
    await page.keyboard.press("Enter");
    await page.getByText("Publishing needs https or localhost.").waitFor();
    expect(await page.getByRole("button", { name: "Choose a folder" }).count()).toBe(0);
    await page.goto(`http://${host}/app/sites/docs`);
    await page.getByText("open only on the server's own machine").waitFor();
    await page.goto(`http://${host}/app/tokens`);
    await page.getByText("This token can upload but can't manage tokens.").waitFor();
  });
});
