// @module-tag long

import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { hasChromium, openChromium, type TestBrowser } from "../test/chromium.ts";
import { eventually } from "../test/eventually.ts";
import { FIND_TOOL, invokeTool, listTools, openDevTools } from "../test/webmcp-page.ts";
import { startServer, type RunningServer } from "./fixtures/start-server.ts";

type Seen = { dispatched: number; prepared: number; aborted: number };
describe.skipIf(!hasChromium).each(["node", "bun"] as const)("a companion on %s in Chromium", (runtime) => {
  let browser: TestBrowser;
  let server: RunningServer;
  let page: Page;
  let base: string;
  const problems: string[] = [];
  const seen = async (): Promise<Seen> => (await (await fetch(`${base}/seen`)).json()) as Seen;

  beforeAll(async () => {
    [browser, server] = await Promise.all([
      openChromium({ webmcp: true }),
      startServer("companion-server.ts", runtime),
    ]);
    base = `http://127.0.0.1:${server.port}`;
  });
  afterAll(async () => {
    await browser?.close();
    await server?.stop();
  });
  beforeEach(async () => {
    problems.length = 0;
    page = await browser.context.newPage();
    page.on("pageerror", (error) => problems.push(String(error)));
    page.on("console", (message) => {
      if (
        ["error", "warning"].includes(message.type()) &&
        !message.text().startsWith("Failed to load resource")
      )
        problems.push(message.text());
    });
    await page.goto(`${base}/__companion/`);
    await eventually(() => listTools(page)).toHaveLength(5);
  });
  afterEach(async () => {
    await page.close();
    expect(problems).toEqual([]);
  });

  test("the page lists its tools and invokes one under script-src 'self'", async () => {
    expect(await listTools(page)).toEqual(["addBook", "getBook", "listBooks", "removeBook", "slow"]);
    const result = await invokeTool(page, "listBooks", { author: "Jane Austen", limit: 2 });
    expect(result).toEqual({
      status: 200,
      body: { method: "GET", path: "/books?author=Jane+Austen&limit=2" },
    });
    expect(JSON.parse((await page.textContent("#webmcp-result")) ?? "")).toEqual({
      tool: "listBooks",
      ...result,
    });
  });

  test("DevTools lists the tools with their annotations and invokes one", async () => {
    const devTools = await openDevTools(page);
    await eventually(() => devTools.tools.length).toBe(5);
    const annotations = (name: string): object | undefined =>
      devTools.tools.find((tool) => tool.name === name)?.annotations;
    expect(annotations("listBooks")).toMatchObject({ readOnly: true, untrustedContent: true });
    expect(annotations("removeBook")).toMatchObject({ consequential: true, untrustedContent: true });
    expect(await devTools.invoke("getBook", { id: "a/b" })).toMatchObject({
      status: "Completed",
      output: { status: 200, body: { method: "GET", path: "/books/a%2Fb" } },
    });
  });

  test("invalid input comes back as data from both, and nothing is dispatched", async () => {
    const before = (await seen()).dispatched;
    const fault = { path: "/limit", reason: "must be an integer" };
    const refused = { status: 400, body: { error: "invalid_input", ...fault, errors: [fault] } };
    expect(await invokeTool(page, "listBooks", { limit: "ten" })).toEqual(refused);
    const devTools = await openDevTools(page);
    await eventually(() => devTools.tools.length).toBe(5);
    expect(await devTools.invoke("listBooks", { limit: "ten" })).toMatchObject({
      status: "Completed",
      output: refused,
    });
    expect(await invokeTool(page, "getBook", { id: "../admin" })).toMatchObject({ body: { path: "/id" } });
    expect((await seen()).dispatched).toBe(before);
  });

  test("an oversized input is refused as data", async () => {
    const before = (await seen()).dispatched;
    expect(await invokeTool(page, "listBooks", { author: "a".repeat(2000) })).toMatchObject({
      status: 413,
      body: { error: "input_too_large" },
    });
    expect((await seen()).dispatched).toBe(before);
  });

  test("a change that nobody prepared is refused with 409", async () => {
    const before = await seen();
    expect(await invokeTool(page, "removeBook", { id: "locked" })).toMatchObject({
      status: 409,
      body: { error: "approval_required" },
    });
    expect(await seen()).toEqual({ ...before, prepared: before.prepared + 1 });
  });

  test.each([
    ["approve", { status: 200, body: { status: "approved", method: "DELETE" } }],
    ["deny", { status: 403, body: { status: "denied", method: "DELETE" } }],
  ])(
    "a prepared change waits, and the waiting tool learns of the decision to %s",
    async (action, outcome) => {
      const before = (await seen()).dispatched;
      const result = invokeTool(page, "removeBook", { id: "7" });
      const shown = async (): Promise<string> => (await page.textContent("#webmcp-result")) ?? "";
      await eventually(shown).toContain('"pending"');
      const { body } = JSON.parse(await shown()) as { body: { approve: string } };
      await fetch(`${base}${body.approve}/${action}`);
      expect(await result).toEqual(outcome);
      expect((await seen()).dispatched).toBe(before);
    },
  );

  test("another site's calls, with or without cookies, reach nothing", async () => {
    const before = await seen();
    const stranger = await browser.context.newPage();
    await stranger.goto(`http://localhost:${server.port}/blank`);
    const outcomes = await stranger.evaluate(async (target) => {
      const tries: RequestInit[] = [
        { mode: "no-cors", headers: { "content-type": "text/plain" } },
        { mode: "no-cors", credentials: "include" },
        { mode: "cors", headers: { "content-type": "application/json" } },
      ];
      return Promise.all(
        tries.map((init) =>
          fetch(target, { ...init, method: "POST", body: "{}" }).then(
            (response) => response.type,
            () => "refused",
          ),
        ),
      );
    }, `${base}/__companion/call/listBooks`);
    expect(outcomes).toEqual(["opaque", "opaque", "refused"]);
    await stranger.setContent(
      `<form method="post" enctype="text/plain" action="${base}/__companion/call/listBooks"><input name='{"a":"' value='"}'></form>`,
    );
    const [response] = await Promise.all([
      stranger.waitForResponse(`${base}/__companion/call/listBooks`),
      stranger.evaluate("document.forms[0].submit()"),
    ]);
    expect(response.status()).toBe(403);
    await stranger.close();
    expect(await seen()).toEqual(before);
  });

  test("an abort of the call reaches the server", async () => {
    const before = await seen();
    await page.evaluate(
      `(async () => { ${FIND_TOOL}
        globalThis.stop = new AbortController();
        const tool = await find("slow");
        globalThis.call = document.modelContext.executeTool(tool, {}, { signal: stop.signal }).catch((error) => error.name);
      })()`,
    );
    await eventually(async () => (await seen()).dispatched).toBe(before.dispatched + 1);
    expect(await page.evaluate("stop.abort(), call")).toBe("AbortError");
    await eventually(async () => (await seen()).aborted).toBe(before.aborted + 1);
  });

  test("loaded again, and hidden and shown again, it offers each tool once", async () => {
    await page.evaluate('import("/__companion/bootstrap.js?again")');
    await eventually(() => listTools(page)).toHaveLength(5);
    expect(await invokeTool(page, "listBooks", {})).toMatchObject({ status: 200 });
    await page.evaluate('dispatchEvent(new PageTransitionEvent("pagehide", { persisted: true }))');
    await eventually(() => listTools(page)).toEqual([]);
    await page.evaluate('dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true }))');
    await eventually(() => listTools(page)).toHaveLength(5);
    expect(await invokeTool(page, "getBook", { id: "1" })).toMatchObject({ status: 200 });
  });

  test("a tool that the browser refuses does not stop the others", async () => {
    await page.goto(`${base}/taken`);
    await eventually(() => listTools(page)).toHaveLength(5);
    expect(problems.splice(0)).toEqual([expect.stringContaining("the tool listBooks was not registered")]);
    expect(await invokeTool(page, "getBook", { id: "1" })).toMatchObject({ status: 200 });
  });
});

describe.skipIf(!hasChromium)("a browser without the standard's API", () => {
  let browser: TestBrowser;
  let server: RunningServer;
  let base: string;

  beforeAll(async () => {
    [browser, server] = await Promise.all([openChromium(), startServer("companion-server.ts", "node")]);
    base = `http://127.0.0.1:${server.port}`;
  });
  afterAll(async () => {
    await browser?.close();
    await server?.stop();
  });

  const openWith = async (script?: string): Promise<{ page: Page; problems: string[] }> => {
    const page = await browser.context.newPage();
    const problems: string[] = [];
    page.on("pageerror", (error) => problems.push(String(error)));
    page.on("console", (message) => problems.push(message.text()));
    if (script !== undefined) await page.addInitScript(script);
    await page.goto(`${base}/__companion/`);
    return { page, problems };
  };

  test("shows the page as it is: no error, no global, no request of its own", async () => {
    const requests: string[] = [];
    browser.context.on("request", (request) => requests.push(new URL(request.url()).pathname));
    const { page, problems } = await openWith();
    expect(await page.evaluate("document.modelContext === undefined")).toBe(true);
    expect(await page.evaluate("Object.keys(globalThis).filter((key) => /mcp/i.test(key))")).toEqual([]);
    expect(problems).toEqual([]);
    expect(requests.filter((path) => path !== "/favicon.ico")).toEqual([
      "/__companion/",
      "/__companion/bootstrap.js",
    ]);
    await page.close();
  });

  test("navigator.modelContext with registerTool that throws and unregisterTool is served", async () => {
    const { page, problems } = await openWith(`
      globalThis.offered = new Map();
      navigator.modelContext = {
        registerTool(tool) { if (offered.has(tool.name)) throw new Error("twice"); offered.set(tool.name, tool); },
        unregisterTool(name) { offered.delete(name); },
      };`);
    expect(await page.evaluate("offered.size")).toBe(5);
    expect(await page.evaluate('offered.get("listBooks").execute({ limit: 3 })')).toMatchObject({
      status: 200,
    });
    // Polyfills hand the input over as text.
    expect(await page.evaluate(`offered.get("getBook").execute('{"id":"1"}')`)).toMatchObject({
      status: 200,
    });
    expect(await page.evaluate('offered.get("getBook").execute("nonsense")')).toMatchObject({
      error: "unreachable",
    });
    await page.evaluate('dispatchEvent(new PageTransitionEvent("pagehide"))');
    expect(await page.evaluate("offered.size")).toBe(0);
    expect(problems).toEqual([]);
    await page.close();
  });

  test("the oldest shape, provideContext, is served", async () => {
    const { page } = await openWith(`
      globalThis.offered = [];
      navigator.modelContext = { provideContext({ tools }) { offered = tools; }, clearContext() { offered = []; } };`);
    expect(await page.evaluate("offered.length")).toBe(5);
    await page.evaluate('dispatchEvent(new PageTransitionEvent("pagehide"))');
    expect(await page.evaluate("offered.length")).toBe(0);
    await page.close();
  });

  test("a polyfill that comes with the page's last script is found", async () => {
    const { page } = await openWith(`
      addEventListener("DOMContentLoaded", () => {
        globalThis.offered = [];
        document.modelContext = { registerTool: (tool) => { offered.push(tool.name); return { unregister() {} }; } };
      });`);
    await eventually(() => page.evaluate("globalThis.offered?.length ?? 0")).toBe(5);
    await page.close();
  });
});
