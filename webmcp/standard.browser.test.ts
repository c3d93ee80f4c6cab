// @module-tag long

import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, expectTypeOf, test } from "vitest";
import type { WebMCP } from "webmcp-types";
import { hasChromium, openChromium, type TestBrowser } from "../test/chromium.ts";
import { openTrial } from "../test/origin-trial.ts";
import type { ModelContextEvents, ToolDescriptor, ToolEvent } from "./index.ts";

/** Every member that the community group's types name: one more of theirs does not compile here. */
const MEMBERS = {
  registerTool: true,
  getTools: true,
  executeTool: true,
  ontoolchange: true,
} satisfies Record<Exclude<keyof WebMCP.ModelContext, keyof EventTarget>, true>;

test("what the toolkit makes is what the community group's types take", () => {
  expectTypeOf<ToolDescriptor>().toExtend<Omit<WebMCP.ModelContextTool, "execute">>();
  expectTypeOf<ToolDescriptor["annotations"]>().toExtend<WebMCP.ToolAnnotations>();
  expectTypeOf<ModelContextEvents>().toExtend<WebMCP.ModelContextEventMap>();
});

const trial = openTrial();

describe.skipIf(!hasChromium)("the standard as Chromium has it", () => {
  let server: Server;
  let base: string;
  let watcher: string;
  const headers: Record<string, string> = {};
  const browsers: TestBrowser[] = [];

  const open = async (options: Parameters<typeof openChromium>[0], path = "/") => {
    const browser = await openChromium(options);
    browsers.push(browser);
    const page = await browser.context.newPage();
    await page.goto(base + path);
    return page;
  };
  const isThere = "'modelContext' in document && document.modelContext !== undefined";

  beforeAll(async () => {
    const { outputFiles } = await build({
      entryPoints: [`${import.meta.dirname}/tool-events.ts`],
      bundle: true,
      write: false,
      format: "iife",
      globalName: "events",
    });
    watcher = outputFiles[0]?.text ?? "";
    server = createServer(({ url = "/" }, response) => {
      const token = headers[url];
      if (token !== undefined) response.setHeader("origin-trial", token);
      response.setHeader("content-type", "text/html");
      response.end("<!doctype html><title>page</title>");
    });
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const hour = 60 * 60_000;
    headers["/valid"] = trial.issue(base, { expiresAt: Date.now() + hour });
    headers["/ended"] = trial.issue(base, { expiresAt: Date.now() - hour });
    headers["/elsewhere"] = trial.issue("https://example.com:443", { expiresAt: Date.now() + hour });
  });
  afterAll(async () => {
    for (const browser of browsers) await browser.close();
    server.close();
  });

  test("has every member that the community group's types name", async () => {
    const page = await open({ webmcp: true });
    const missing = `${JSON.stringify(Object.keys(MEMBERS))}.filter((name) => !(name in document.modelContext))`;
    expect(await page.evaluate(missing)).toEqual([]);
  });

  test("a page is told of each call and of each that is cancelled, until it no longer asks", async () => {
    const page = await open({ webmcp: true });
    await page.addScriptTag({ content: watcher });
    const told = (await page.evaluate(`(async () => {
      const context = document.modelContext;
      const told = [];
      const asking = new AbortController();
      events.watchToolCalls(({ type, toolName, constructor }) => told.push([type, toolName, constructor.name]), { signal: asking.signal });
      await context.registerTool({ name: "read", description: "Reads.", execute: () => "read" });
      const started = new Promise((resolve) => context.registerTool({
        name: "wait", description: "Waits.",
        execute: (_, { signal }) => new Promise((_, reject) => { signal.onabort = () => reject(signal.reason); resolve(); }),
      }));
      const [read, wait] = await context.getTools();
      await context.executeTool(read, {});
      const stop = new AbortController();
      const waiting = context.executeTool(wait, {}, { signal: stop.signal }).catch((error) => error.name);
      await started;
      const cancelled = new Promise((resolve) => context.addEventListener("toolcancel", resolve, { once: true }));
      stop.abort();
      await Promise.all([waiting, cancelled]);
      asking.abort();
      await context.executeTool(read, {});
      return told;
    })()`)) as [ToolEvent["type"], string, string][];
    expect(told).toEqual([
      ["toolactivated", "read", "ToolActivatedEvent"],
      ["toolactivated", "wait", "ToolActivatedEvent"],
      ["toolcancel", "wait", "ToolCancelEvent"],
    ]);
  });

  test("before 156 the window is what tells of calls", async () => {
    const page = await open({});
    await page.addScriptTag({ content: watcher });
    const told = await page.evaluate(`(() => {
      document.modelContext = new EventTarget();
      const told = [];
      events.watchToolCalls(({ type, toolName }) => told.push([type, toolName]));
      dispatchEvent(Object.assign(new Event("toolactivated"), { toolName: "read" }));
      return told;
    })()`);
    expect(told).toEqual([["toolactivated", "read"]]);
  });

  test.each([
    ["/valid", true],
    ["/ended", false],
    ["/elsewhere", false],
    ["/", false],
  ])("without a flag, the page at %s with its origin-trial token has the feature: %s", async (path, has) => {
    const page = await open({ args: [trial.chromiumSwitch] }, path);
    expect(await page.evaluate(isThere)).toBe(has);
  });
});
