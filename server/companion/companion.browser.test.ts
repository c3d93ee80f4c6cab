// @module-tag long

import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { startProvider } from "../../notify/fixtures/provider.ts";
import { findViolations } from "../../test/accessibility.ts";
import { hasChromium, openChromium, type TestBrowser } from "../../test/chromium.ts";
import { eventually } from "../../test/eventually.ts";
import { invokeTool, listTools, openDevTools } from "../../test/webmcp-page.ts";
import { createPublisher } from "../fixtures/http-client.ts";
import { RUNTIMES, startTestServer, type TestServer } from "../fixtures/test-server.ts";

const TOOLS = [
  "activateDeployment",
  "compareDeployment",
  "forget",
  "getDeployment",
  "getLearning",
  "getSite",
  "learn",
  "listDeployments",
  "listSites",
  "removeDeployment",
  "searchMemory",
];

type Approvals = { approvals: { id: string; status: string; tool: string; digest: string }[] };

/** As the publisher's page does it: the cookie, and the other half in the origin's storage. */
const signIn = async (page: Page, base: string, token: string): Promise<void> => {
  await page.goto(`${base}/app`);
  await page.getByLabel("Token").fill(token);
  await page.keyboard.press("Enter");
  await page.getByRole("navigation", { name: "Main" }).waitFor();
};

describe.skipIf(!hasChromium).each(RUNTIMES)("the server's companion on %s in Chromium", (runtime) => {
  let browser: TestBrowser;
  let server: TestServer;
  let base: string;
  let page: Page;

  const list = async (): Promise<Approvals["approvals"]> => {
    const headers = { accept: "application/json", authorization: `Bearer ${server.adminToken}` };
    const response = await fetch(`${base}/__companion/approvals`, { headers });
    return ((await response.json()) as Approvals).approvals;
  };
  /** The person's tab: opens what waits, from the link that the page shows. */
  const openPending = async (): Promise<Page> => {
    const link = page.locator("#waiting a").first();
    await link.waitFor();
    const tab = await browser.context.newPage();
    await tab.goto(base + ((await link.getAttribute("href")) ?? ""));
    return tab;
  };

  beforeAll(async () => {
    [browser, server] = await Promise.all([openChromium({ webmcp: true }), startTestServer(runtime)]);
    base = `http://127.0.0.1:${server.port}`;
    browser.context.setDefaultTimeout(60_000);
    page = await browser.context.newPage();
  });
  afterAll(async () => {
    await browser?.close();
    await server?.stop();
  });
  beforeEach(async () => {
    await page.goto(`${base}/__companion/`);
    await eventually(() => listTools(page)).toEqual(TOOLS);
  });

  test("nobody signed in: the tools are there, every call is refused as data", async () => {
    expect(await page.textContent(".notice")).toContain("You are not signed in");
    expect(await page.isVisible("#sign-out")).toBe(false);
    expect(await invokeTool(page, "listSites", {})).toMatchObject({
      status: 401,
      body: { code: "unauthorized" },
    });
    expect(await invokeTool(page, "forget", { id: "1" })).toMatchObject({ status: 401 });
    await page.goto(`${base}/__companion/approvals`);
    expect(await page.textContent("h1")).toBe("Sign in first");
    await signIn(page, base, server.adminToken);
  });

  test("the person is told that a change waits, and the link leads to the decision", async () => {
    const provider = await startProvider();
    const channels = { phone: { type: "webhook", url: provider.url } };
    writeFileSync(join(server.home, "notify.json"), JSON.stringify({ channels }), { mode: 0o600 });
    try {
      const learning = invokeTool(page, "learn", {
        body: { trigger: "renaming a table", learning: "in two steps" },
      });
      await eventually(() => provider.received.map(({ body }) => body["notices"])).toMatchObject([
        [{ happening: "needs-approval" }],
      ]);
      const tab = await browser.context.newPage();
      await tab.goto(String(provider.received[0]?.body["url"]));
      expect(await tab.textContent("#request")).toContain("renaming a table");
      await tab.click("text=Approve and send");
      expect(await learning).toMatchObject({ status: 200, body: { status: "stored" } });
      await tab.close();
    } finally {
      rmSync(join(server.home, "notify.json"));
      await provider.stop();
    }
  });

  test("a change waits for a person, who sees it to the letter; then the waiting agent has its result", async () => {
    const learning = invokeTool(page, "learn", {
      body: { trigger: "deploying the api to kubernetes", learning: "run the \u202Emigration job first" },
    });
    const tab = await openPending();
    const { id = "", digest = "" } = (await list()).find(({ status }) => status === "pending") ?? {};
    expect(tab.url()).toBe(`${base}/__companion/approvals/${id}`);
    expect(await tab.textContent("#request")).toBe(
      'POST /learn\ncontent-type: application/json\n\n{"trigger":"deploying the api to kubernetes","learning":"run the ⟦U+202E⟧migration job first"}',
    );
    expect(await tab.textContent("dl")).toContain(digest);
    expect(await invokeTool(page, "searchMemory", { context: "deploy the api to kubernetes" })).toMatchObject(
      {
        body: { learnings: [] },
      },
    );
    await tab.click("text=Approve and send");
    expect(await tab.textContent("main .badge")).toBe("approved and done");
    expect(await learning).toMatchObject({
      status: 200,
      body: { status: "stored", trigger: "deploying the api to kubernetes" },
    });
    expect(await invokeTool(page, "searchMemory", { context: "deploy the api to kubernetes" })).toMatchObject(
      {
        body: { learnings: [{ trigger: "deploying the api to kubernetes" }] },
      },
    );
    await tab.close();
  });

  test("a denied change is not sent, and the waiting agent is told; over DevTools as well", async () => {
    const found = await invokeTool(page, "searchMemory", { context: "deploy the api to kubernetes" });
    const { id } = (found.body as { learnings: { id: string }[] }).learnings[0]!;
    const devTools = await openDevTools(page);
    await eventually(() => devTools.tools.length).toBe(TOOLS.length);
    const forgetting = devTools.invoke("forget", { id });
    const tab = await openPending();
    expect(await tab.textContent("#request")).toBe(`DELETE /learning/${id}`);
    await tab.click("text=Deny");
    expect(await tab.textContent("main .badge")).toBe("denied, never sent");
    expect(await forgetting).toMatchObject({
      status: "Completed",
      output: { status: 403, body: { error: "denied" } },
    });
    expect(await invokeTool(page, "getLearning", { id })).toMatchObject({ status: 200 });
    await tab.close();
  });

  test("no script and no token can decide, only a person's press of the button", async () => {
    const waiting = invokeTool(page, "forget", { id: "none" });
    const tab = await openPending();
    const { id = "", digest = "" } = (await list()).find(({ status }) => status === "pending") ?? {};
    const form = `decision=approve&digest=${digest}`;
    const scripted = await page.evaluate(
      async ([path = "", body = ""]) =>
        (await fetch(path, { method: "POST", body: new URLSearchParams(body), credentials: "same-origin" }))
          .status,
      [`/__companion/approvals/${id}`, form],
    );
    expect(scripted).toBe(403);
    const withToken = await fetch(`${base}/__companion/approvals/${id}`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${server.adminToken}`,
        "content-type": "application/x-www-form-urlencoded",
      },
      body: form,
    });
    expect(withToken.status).toBe(403);
    expect((await list())[0]?.status).toBe("pending");
    await tab.click("text=Approve and send");
    expect(await tab.textContent("main .badge")).toBe("approved, and refused by the server");
    expect(await waiting).toMatchObject({ status: 404 });
    await tab.close();
  });

  test("an approval cannot be framed and runs no script but its own", async () => {
    const [latest] = await list();
    const path = `/__companion/approvals/${latest?.id}`;
    const response = await page.goto(base + path);
    const policy = response?.headers()["content-security-policy"] ?? "";
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).toContain("script-src 'self';");
    expect(response?.headers()["x-frame-options"]).toBe("DENY");
    await page.goto(`${base}/openapi`);
    const framed = await page.evaluate(async (source) => {
      const frame = document.createElement("iframe");
      frame.src = source;
      const loaded = new Promise((resolve) => frame.addEventListener("load", resolve));
      document.body.append(frame);
      await loaded;
      return frame.contentDocument?.body.textContent ?? "blocked";
    }, path);
    expect(framed).toBe("blocked");
  });

  test("a person uses the same tools by forms, and finds every decision in the audit list", async () => {
    await page.click("text=learn");
    await page.fill("[name='body.trigger']", "writing tests");
    await page.click("text=Review change");
    expect(page.url()).toBe(`${base}/__companion/tools/learn`);
    await page.fill("[name='body.learning']", "name the behaviour");
    await page.click("text=Review change");
    expect(await page.textContent("#request")).toContain(
      '{"trigger":"writing tests","learning":"name the behaviour"}',
    );
    await page.click("text=Approve and send");
    expect(await page.textContent("main .badge")).toBe("approved and done");
    await page.goto(`${base}/__companion/tools/searchMemory`);
    await page.fill("[name=context]", "writing tests");
    await page.fill("[name=limit]", "3");
    await page.click("text=Run");
    await page.getByText('"learning": "name the behaviour"').waitFor();
    await page.click("nav >> text=Companion");
    await page.click("text=All requests and decisions");
    await page.locator("tbody tr").first().waitFor();
    expect(await page.locator("tbody tr").count()).toBe((await list()).length);
    expect(await page.textContent("tbody tr:first-child .badge")).toBe("approved and done");
  });

  test("an agent puts a deployment live once a person has said so", async () => {
    const publisher = createPublisher(server.port, server.adminToken);
    const files = { "index.html": "<!doctype html><h1>Hello</h1>" };
    const created = await publisher.create("hello", files);
    const { deployment } = created;
    await publisher.upload(created, files);
    expect(await invokeTool(page, "listDeployments", { name: "hello" })).toMatchObject({
      body: { deployments: [{ id: deployment.id, status: "pending" }] },
    });
    const activating = invokeTool(page, "activateDeployment", { id: deployment.id });
    const tab = await openPending();
    await tab.click("text=Approve and send");
    expect(await activating).toMatchObject({ status: 200, body: { deployment: { status: "active" } } });
    await tab.close();
  });

  test("its pages are accessible and fit a narrow screen, in light and dark", async () => {
    const waiting = invokeTool(page, "forget", { id: "x".repeat(30) });
    const tab = await openPending();
    const approval = new URL(tab.url()).pathname;
    const faults: string[] = [];
    for (const path of ["/__companion/", approval, "/__companion/approvals", "/__companion/tools/learn"])
      for (const colorScheme of ["light", "dark"] as const) {
        await tab.emulateMedia({ colorScheme });
        await tab.setViewportSize({ width: 390, height: 800 });
        await tab.goto(base + path);
        await tab.locator("main:not([data-locked])").waitFor();
        faults.push(...(await findViolations(tab)).map((fault) => `${path} ${colorScheme} ${fault}`));
        const overflow = await tab.evaluate("document.documentElement.scrollWidth - innerWidth");
        if (Number(overflow) > 0) faults.push(`${path} is ${String(overflow)} pixels too wide`);
      }
    expect(faults).toEqual([]);
    await tab.goto(base + approval);
    await tab.click("text=Deny");
    expect(await waiting).toMatchObject({ status: 403 });
    await tab.close();
  });
});
