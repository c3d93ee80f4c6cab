// @module-tag long
import { execFileSync, spawnSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page, Route } from "playwright-core";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { hasChromium, openChromium, type TestBrowser } from "../../test/chromium.ts";
import { createPublisher, type Publisher } from "../fixtures/http-client.ts";
import { startTestServer, type TestServer } from "../fixtures/test-server.ts";
import { chooseFolder, signIn, useFolders } from "./fixtures/app-visit.ts";

const makeFolder = useFolders();
// Its library writes zips like those of people's programs.
const hasPython = spawnSync("python3", ["--version"]).status === 0;

describe.skipIf(!hasChromium)("publishing that does not go smoothly, in Chromium", () => {
  let server: TestServer;
  let publisher: Publisher;
  let browser: TestBrowser;
  let page: Page;
  const button = (name: string | RegExp) => page.getByRole("button", { name });
  const open = (path: string) => page.goto(`http://localhost:${server.port}${path}`);
  const alert = () => page.getByRole("alert").textContent();

  beforeEach(async () => {
    server = await startTestServer("node");
    publisher = createPublisher(server.port, server.adminToken);
    await publisher.publish("docs", { "index.html": "<h1>first</h1>" }, { message: "The first" });
    browser = await openChromium();
    page = await browser.context.newPage();
    await signIn(page, { port: server.port, token: server.adminToken });
    await open("/app/sites/docs");
    await button("Choose a folder").waitFor();
  });
  afterEach(async () => {
    await browser?.close();
    await server?.stop();
  });

  /** Holds the uploads until they are let go. */
  const holdUploads = async () => {
    const held: Route[] = [];
    let isOpen = false;
    await page.route("**/assets?path=*", async (route) => {
      if (isOpen) await route.continue();
      else held.push(route);
    });
    const release = async () => {
      isOpen = true;
      await Promise.all(held.map((route) => route.continue()));
    };
    return { held, release };
  };

  test("goes on, and says so, while somebody looks at other pages", async () => {
    const { held, release } = await holdUploads();
    await chooseFolder(page, makeFolder({ "index.html": "<h1>second</h1>" }));
    await button("Publish now").click();
    await expect.poll(() => held.length).toBe(1);
    await page.getByRole("link", { name: "Tokens" }).click();
    await page.getByRole("heading", { name: "Tokens", exact: true }).waitFor();
    await page.getByRole("link", { name: "Publishing docs…" }).waitFor();
    await page.goBack();
    await page.getByText("Uploading").waitFor();
    await release();
    await page.getByText("now shows what you published").waitFor();
    expect((await publisher.visit("docs", "/")).text).toBe("<h1>second</h1>");
    await page.getByRole("link", { name: "Publishing docs…" }).waitFor({ state: "detached" });
  });

  test("asks before its tab is closed in the middle, and not after", async () => {
    const { held, release } = await holdUploads();
    await chooseFolder(page, makeFolder({ "index.html": "<h1>second</h1>" }));
    await button("Publish now").click();
    await expect.poll(() => held.length).toBe(1);
    const asked = page.waitForEvent("dialog");
    await page.close({ runBeforeUnload: true });
    const dialog = await asked;
    expect(dialog.type()).toBe("beforeunload");
    await dialog.dismiss();
    await release();
    await page.getByText("now shows what you published").waitFor();
    const closed = page.waitForEvent("close");
    await page.close({ runBeforeUnload: true });
    await closed;
  });

  test("is cancelled with the folder still chosen and nothing left on the server", async () => {
    const { held } = await holdUploads();
    await chooseFolder(page, makeFolder({ "index.html": "<h1>second</h1>" }));
    await page.getByLabel("Note for the history").fill("Second");
    await button("Publish now").click();
    await expect.poll(() => held.length).toBe(1);
    const deleted = page.waitForResponse((response) => response.request().method() === "DELETE");
    await button("Cancel").click();
    expect((await deleted).status()).toBe(200);
    expect(await page.getByLabel("Note for the history").inputValue()).toBe("Second");
    expect((await publisher.send({ path: "/api/sites/docs/deployments" })).text).not.toContain("pending");
    await page.unroute("**/assets?path=*");
    await button("Publish now").click();
    await page.getByText("now shows what you published").waitFor();
    expect((await publisher.visit("docs", "/")).text).toBe("<h1>second</h1>");
  });

  test("keeps the folder and the note over the end of a session in the middle", async () => {
    const made = await publisher.sendJson("/api/tokens", { site: "docs", actions: ["upload", "activate"] });
    const { id, token } = made.json() as { id: string; token: string };
    await button("Sign out").click();
    await page.getByText("You are signed out.").waitFor();
    await signIn(page, { port: server.port, token });
    await page.getByRole("link", { name: "docs", exact: true }).click();
    const { held, release } = await holdUploads();
    await chooseFolder(page, makeFolder({ "index.html": "<h1>second</h1>" }));
    await page.getByLabel("Note for the history").fill("After lunch");
    await button("Publish now").click();
    await expect.poll(() => held.length).toBe(1);
    await publisher.send({ method: "DELETE", path: `/api/tokens/${id}` });
    await release();
    await page.getByText("Your session has ended").waitFor();
    await page.getByLabel("Token").fill(server.adminToken);
    await page.keyboard.press("Enter");
    await button("Try again").click();
    await page.getByText("now shows what you published").waitFor();
    await page.getByText("After lunch", { exact: true }).waitFor();
  });

  test("names a file that changed on disk, and one that a server's failure stopped", async () => {
    const folder = makeFolder({ "index.html": "<h1>second</h1>", "a.css": "a {}" });
    await chooseFolder(page, folder);
    await button("Publish now").waitFor();
    writeFileSync(join(folder, "a.css"), "a { color: red }");
    await button("Publish now").click();
    await expect.poll(alert).toBe("a.css changed on disk since you chose the folder. Choose it again.");
    expect(await button("Try again").count()).toBe(0);
    rmSync(join(folder, "a.css"));
    writeFileSync(join(folder, "index.html"), "<h1>third</h1>");
    await button("Choose again").click();
    await chooseFolder(page, folder);
    await button("Publish now").waitFor();
    expect((await publisher.send({ path: "/api/sites/docs/deployments" })).text).not.toContain("pending");
    await page.route("**/assets?path=index.html", (route) => route.fulfill({ status: 500, body: "" }));
    await button("Publish now").click();
    await expect.poll(alert).toBe("index.html: The server answered 500");
    await page.unroute("**/assets?path=index.html");
    await button("Try again").click();
    await page.getByText("now shows what you published").waitFor();
  });

  test("tells every fault of both rule files before anything is sent", async () => {
    const sent: string[] = [];
    page.on("request", (request) => {
      if (request.method() !== "GET") sent.push(request.url());
    });
    await chooseFolder(
      page,
      makeFolder({ "index.html": "x", _redirects: "/a\n/b /c 999\n", _headers: "/*\n  No Header\n" }),
    );
    await expect.poll(alert).toContain("_redirects, line 2");
    expect(await alert()).toContain("_redirects, line 1");
    expect(await alert()).toContain("_headers, line 2");
    expect(sent).toEqual([]);
  });

  test("says that someone else published meanwhile, compares again, and publishes then", async () => {
    const { held, release } = await holdUploads();
    await chooseFolder(page, makeFolder({ "index.html": "<h1>mine</h1>" }));
    await button("Publish now").click();
    await expect.poll(() => held.length).toBe(1);
    await publisher.publish("docs", { "index.html": "<h1>theirs</h1>", "more.html": "more" });
    await release();
    await expect
      .poll(alert)
      .toBe("Someone else published docs meanwhile. Nothing changed. Review, then publish again.");
    await page.getByText("1 file changed, 1 removed.").waitFor();
    expect((await publisher.visit("docs", "/")).text).toBe("<h1>theirs</h1>");
    await button("Go live").first().click();
    await page.getByText("now shows what you published").waitFor();
    expect((await publisher.visit("docs", "/")).text).toBe("<h1>mine</h1>");
  });

  test("shows what others did when somebody comes back to the tab, and nothing false after a rollback", async () => {
    await chooseFolder(page, makeFolder({ "index.html": "<h1>second</h1>" }));
    await button("Publish now").click();
    await page.getByText("now shows what you published").waitFor();
    await button(/Compare with live.*The first/).click();
    await page.getByText("1 file changed.").waitFor();
    await button(/Roll back to this.*The first/).click();
    await page.getByText("The first is live.").waitFor();
    await page.getByText("now shows what you published").waitFor({ state: "detached" });
    await page.getByText("1 file changed.").waitFor({ state: "detached" });
    expect(await page.evaluate(() => document.activeElement?.tagName)).not.toBe("BODY");
    await button(/^Make live/).waitFor();
    await publisher.publish("docs", { "index.html": "<h1>third</h1>" }, { message: "By another" });
    await page.evaluate(() => dispatchEvent(new Event("focus")));
    await page.locator(".deployment.current", { hasText: "By another" }).waitFor();
  });

  test("deletes an incomplete upload and a preview, and tells in the activity who did what", async () => {
    const cut = await publisher.create("docs", { "index.html": "<h1>cut</h1>" }, { message: "Cut off" });
    const files = { "index.html": "<h1>whole</h1>" };
    await publisher.upload(await publisher.create("docs", files, { message: "Whole" }), files);
    await page.reload();
    const row = (text: string) => page.locator(".deployment", { hasText: text });
    await row("Cut off").getByText("Incomplete", { exact: true }).waitFor();
    await row("Cut off").getByText("1 not uploaded").waitFor();
    expect(await row("Cut off").getByRole("button").allTextContents()).toEqual(["Delete…: Cut off"]);
    expect(await row("Cut off").getByRole("link").count()).toBe(0);
    await row("Whole").getByText("Preview", { exact: true }).waitFor();
    expect(await row("Whole").getByRole("link").getAttribute("target")).toBe("_blank");
    for (const name of ["Cut off", "Whole"]) {
      await row(name).getByRole("button", { name: "Delete…" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Delete", exact: true }).click();
      await page.getByText(`${name} is deleted.`).waitFor();
      await row(name).waitFor({ state: "detached" });
    }
    await page.getByText("Activity", { exact: true }).click();
    await page.locator(".events li", { hasText: `${cut.deployment.id} deleted by admin` }).waitFor();
    expect((await publisher.visit("docs", "/")).text).toBe("<h1>first</h1>");
  });

  test.skipIf(!hasPython)("takes a zip like the folder that it holds, and says what is no zip", async () => {
    const folder = makeFolder({
      "index.html": "<h1>zipped</h1>".repeat(500),
      "deep/a.txt": "deep",
      ".env": "SECRET",
    });
    const zip = `${folder}.zip`;
    execFileSync("python3", ["-m", "zipfile", "-c", zip, folder]);
    const chooseZip = async (path: string) => {
      const chooser = page.waitForEvent("filechooser");
      await button("Choose a zip").click();
      await (await chooser).setFiles(path);
    };
    const fake = join(folder, "fake.zip");
    writeFileSync(fake, "no zip at all, but long enough to hold a record of its end");
    await chooseZip(fake);
    await expect.poll(alert).toContain("fake.zip is not a zip file that can be read here");
    await chooseZip(zip);
    await page.getByText("1 file added, 1 changed.").waitFor();
    await page.getByText("1 hidden file left out").waitFor();
    await button("Publish now").click();
    await page.getByText("now shows what you published").waitFor();
    expect((await publisher.visit("docs", "/deep/a.txt")).text).toBe("deep");
    expect((await publisher.visit("docs", "/")).text).toBe("<h1>zipped</h1>".repeat(500));
  });

  test("takes a dropped folder first and its name after, and saves a site with its history", async () => {
    await page.getByRole("link", { name: "Sites" }).first().click();
    await chooseFolder(page, makeFolder({ "index.html": "<h1>new</h1>" }));
    const name = page.getByRole("textbox", { name: "Publish to the site" });
    expect(await name.inputValue()).toBe("chosen");
    await name.fill("shop");
    await page.keyboard.press("Enter");
    await button("Publish now").click();
    await page.getByText("now shows what you published").waitFor();
    expect((await publisher.visit("shop", "/")).text).toBe("<h1>new</h1>");
    const saved = page.waitForEvent("download");
    await button("Download site and history").click();
    expect((await saved).suggestedFilename()).toBe("shop.nightshift.tar");
  });
});
