import { readFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hasChromium, openChromium, type TestBrowser } from "../../test/chromium.ts";
import { ask, createPublisher, type Publisher } from "../fixtures/http-client.ts";
import { startTestServer, type TestServer } from "../fixtures/test-server.ts";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
let server: TestServer;
let publisher: Publisher;
const folders: string[] = [];

const makeFolder = (files: Record<string, string | Buffer>): string => {
  const parent = mkdtempSync(join(tmpdir(), "nightshift-app-"));
  folders.push(parent);
  const folder = join(parent, "chosen");
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
  return folder;
};

beforeAll(async () => {
  server = await startTestServer("node");
  publisher = createPublisher(server.port, server.adminToken);
});
afterAll(async () => {
  await server.stop();
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

test("the page and its files fit their budget, come from here alone, and allow nothing inline", async () => {
  const page = await ask(server.port, { path: "/app" });
  expect(page.status).toBe(200);
  expect(page.text).not.toMatch(/<script(?![^>]*\ssrc=)|<style|\sstyle=|\son\w+=|https?:/);
  const policy = String(page.headers["content-security-policy"]);
  expect(policy).toMatch(/^default-src 'none'/);
  expect(policy).not.toMatch(/unsafe|\*|https?:/);
  expect(policy).toContain("frame-ancestors 'none'");
  const script = await ask(server.port, { path: "/app/app.js", headers: { "accept-encoding": "gzip" } });
  expect(script.headers["content-encoding"]).toBe("gzip");
  expect(gzipSync(gunzipSync(script.body), { level: 9 }).length).toBeLessThan(40 * 1024);
  const again = await ask(server.port, {
    path: "/app/app.js",
    headers: { "accept-encoding": "gzip", "if-none-match": String(script.headers["etag"]) },
  });
  expect(again.status).toBe(304);
});

describe.skipIf(!hasChromium)("in Chromium", () => {
  let browser: TestBrowser;
  let page: Page;
  const complaints: string[] = [];
  const foreign: string[] = [];
  const button = (name: string | RegExp) => page.getByRole("button", { name });

  const findViolations = async (): Promise<string[]> => {
    // The debugger evaluates beside the page's policy, which stays as strict as it is.
    await page.evaluate(AXE);
    const found = await page.evaluate(async () => {
      const { axe } = window as unknown as {
        axe: {
          run: () => Promise<{ violations: { id: string; impact: string; nodes: { html: string }[] }[] }>;
        };
      };
      return (await axe.run()).violations.map(
        ({ id, impact, nodes }) => `${impact} ${id}: ${nodes[0]?.html}`,
      );
    });
    return found;
  };
  const expectAccessible = async () => {
    for (const colorScheme of ["light", "dark"] as const)
      for (const width of [1280, 390]) {
        await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
        await page.setViewportSize({ width, height: 800 });
        expect(await findViolations()).toEqual([]);
        const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        expect(overflow).toBeLessThanOrEqual(0);
      }
    await page.emulateMedia({ colorScheme: "light" });
    await page.setViewportSize({ width: 1280, height: 800 });
  };
  const chooseFolder = async (folder: string) => {
    const chooser = page.waitForEvent("filechooser");
    await button("Choose a folder").click();
    await (await chooser).setFiles(folder);
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
    await page.goto(`http://localhost:${server.port}/app`);
  });
  afterAll(() => browser.close());

  test("signs in with a token, after saying what is wrong with another", async () => {
    await page.getByLabel("Token").fill("wrong");
    await page.keyboard.press("Enter");
    await expect
      .poll(() => page.getByRole("alert").textContent(), { timeout: 20_000 })
      .toContain("not known");
    await expectAccessible();
    await page.getByLabel("Token").fill(server.adminToken);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Sites" }).waitFor();
    const [cookie] = await browser.context.cookies();
    expect(cookie).toMatchObject({
      name: "nightshift-session",
      httpOnly: true,
      sameSite: "Strict",
      path: "/",
    });
    expect(cookie?.domain).toBe("localhost");
    await page.getByText("No site yet").waitFor();
    await expectAccessible();
  });

  test("publishes a dropped-in folder with its tree, from choosing to live, by keyboard", async () => {
    const folder = makeFolder({
      "index.html": "<h1>first</h1>",
      "deep/er/file.txt": "deep",
      "big.bin": Buffer.alloc(300_000, 1),
      ".env": "SECRET",
    });
    await page.getByLabel("New site").fill("No Good");
    await page.keyboard.press("Enter");
    await page.getByText("Use lowercase letters").waitFor();
    await page.getByLabel("New site").fill("shop");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "shop", level: 1 }).waitFor();
    expect(await page.evaluate(() => document.activeElement?.tagName)).toBe("H1");
    await chooseFolder(folder);
    await button("Publish now").waitFor();
    expect(await page.getByText("deep/er/file.txt").isVisible()).toBe(true);
    expect(await page.getByText(".env").count()).toBe(0);
    await expectAccessible();
    await page.getByLabel("Note for the history").fill("The first one");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.getByText("now shows what you published").waitFor();
    expect((await publisher.visit("shop", "/deep/er/file.txt")).text).toBe("deep");
    expect((await publisher.visit("shop", "/.env")).status).toBe(404);
    await expectAccessible();
  });

  test("takes a folder that is dropped on the page, tree and all", async () => {
    const folder = makeFolder({ "index.html": "<h1>dropped</h1>", "a/b/c.txt": "c" });
    await button("Publish again").click();
    const zone = await page.getByText("Drop a folder here").boundingBox();
    const { x, y } = { x: (zone?.x ?? 0) + 5, y: (zone?.y ?? 0) + 5 };
    const devtools = await browser.context.newCDPSession(page);
    const data = { items: [], files: [folder], dragOperationsMask: 1 };
    for (const type of ["dragEnter", "dragOver", "drop"] as const)
      await devtools.send("Input.dispatchDragEvent", { type, x, y, data });
    await button("Publish now").waitFor();
    expect(await page.getByText("a/b/c.txt").isVisible()).toBe(true);
    await button("Upload as a preview").click();
    await page.getByRole("heading", { name: "Ready to look at" }).waitFor();
    expect((await publisher.visit("shop", "/")).text).toBe("<h1>first</h1>");
    await expectAccessible();
    await button("Go live").first().click();
    await page.getByText("now shows what you published").waitFor();
    expect((await publisher.visit("shop", "/a/b/c.txt")).text).toBe("c");
  });

  test("shows what a rollback changes, and does it with one click", async () => {
    await button(/What would change ?: The first one/).click();
    await page.getByText("Rolling back changes 4 files").waitFor();
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
      makeFolder({ "pages/index.html": "x", "large.bin": Buffer.alloc(10 * 1024 * 1024 + 1) }),
    );
    const alert = page.getByRole("alert");
    await expect
      .poll(() => alert.textContent(), { timeout: 20_000 })
      .toContain("large.bin has 10.5 MB: a file may have 10 MiB");
    expect(await alert.textContent()).toContain("There is no index.html at the top");
    await expectAccessible();
  });

  test("makes a token that is shown once, and revokes it only by its name", async () => {
    await page.getByRole("link", { name: "Tokens" }).click();
    await page.getByLabel("For").selectOption("shop");
    await page.getByLabel("Name").fill("pipeline");
    await button("Make token").click();
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

  test("changes nothing for another site's page, and no cookie ever reaches a site", async () => {
    const attack = `<!doctype html><title>evil</title><script type="module">
      const control = "http://localhost:${server.port}";
      const tries = [
        fetch(control + "/api/sites/shop", { method: "DELETE", credentials: "include" }),
        fetch(control + "/api/sites/shop", { method: "DELETE", credentials: "include", mode: "no-cors" }),
        fetch(control + "/api/collect", { method: "POST", credentials: "include", mode: "no-cors", body: "{}" }),
        fetch(control + "/api/sites", { credentials: "include" }).then((answer) => answer.text()).then((text) => { window.stolen = text; }),
      ];
      await Promise.allSettled(tries);
      const form = Object.assign(document.createElement("form"), { method: "post", action: control + "/api/collect", target: "sink" });
      const sink = Object.assign(document.createElement("iframe"), { name: "sink", src: control + "/app" });
      document.body.append(sink, form);
      form.submit();
      document.cookie = "nightshift-session=planted; domain=localhost";
      window.tried = true;
    </script>`;
    await publisher.publish("evil", { "index.html": attack });
    const seen: Record<string, string>[] = [];
    const visitor = await browser.context.newPage();
    visitor.on("request", (request) => {
      if (new URL(request.url()).hostname === "evil.localhost")
        void request.allHeaders().then((headers) => seen.push(headers));
    });
    await visitor.goto(`http://evil.localhost:${server.port}/`);
    await visitor.waitForFunction("window.tried");
    expect(await visitor.evaluate("window.stolen")).toBeUndefined();
    expect(seen.length).toBeGreaterThan(0);
    for (const headers of seen) expect(headers["cookie"]).toBeUndefined();
    await visitor.close();
    expect((await publisher.send({ path: "/api/sites/shop" })).status).toBe(200);
    await page.reload();
    await page.getByRole("heading", { name: "Tokens" }).waitFor();
  });

  test("offers an upload-only token no way to go live, and tells when the session has ended", async () => {
    const made = (await publisher.sendJson("/api/tokens", { site: "shop", actions: ["upload"] })).json() as {
      id: string;
      token: string;
    };
    const other = await openChromium();
    const guest = await other.context.newPage();
    await guest.goto(`http://localhost:${server.port}/app`);
    await guest.getByLabel("Token").fill(made.token);
    await guest.keyboard.press("Enter");
    await guest.getByRole("link", { name: "shop", exact: true }).click();
    const chooser = guest.waitForEvent("filechooser");
    await guest.getByRole("button", { name: "Choose a folder" }).click();
    await (await chooser).setFiles(makeFolder({ "index.html": "<h1>by a guest</h1>" }));
    await guest.getByRole("button", { name: "Upload as a preview" }).click();
    await guest.getByText("Your token may upload but not go live").waitFor();
    for (const name of [/Publish now/, /Go live/, /Roll back/, /Delete/, /Tokens/])
      expect([name, await guest.getByRole("button", { name }).count()]).toEqual([name, 0]);
    expect((await publisher.visit("shop", "/")).text).toBe("<h1>first</h1>");
    await publisher.send({ method: "DELETE", path: `/api/tokens/${made.id}` });
    await guest.getByRole("button", { name: "Publish something else" }).click();
    await guest.getByRole("link", { name: "Sites" }).first().click();
    await guest.getByText("Your session has ended").waitFor();
    await other.close();
  });

  test("deletes a site only by its name, and signs out for good", async () => {
    await page.goto(`http://localhost:${server.port}/app/sites/evil`);
    await button("Delete site…").click();
    await page.getByRole("dialog").getByRole("textbox").fill("evil");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Sites" }).waitFor();
    expect((await publisher.visit("evil", "/")).status).toBe(404);
    const cookie = (await browser.context.cookies()).map(({ name, value }) => `${name}=${value}`).join("; ");
    expect((await ask(server.port, { path: "/api/me", headers: { cookie } })).status).toBe(200);
    await button("Sign out").click();
    await page.getByText("You are signed out.").waitFor();
    expect((await ask(server.port, { path: "/api/me", headers: { cookie } })).status).toBe(401);
  });

  test("asked nobody else for anything, and broke none of its own rules", () => {
    expect(complaints).toEqual([]);
    expect(foreign).toEqual([]);
  });
});
