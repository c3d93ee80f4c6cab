import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findFreePort } from "../test/free-port.ts";
import { bunBinary } from "../test/bun.ts";
import { hasChromium, openChromium, type TestBrowser } from "../test/chromium.ts";
import { eventually } from "../test/eventually.ts";
import { invokeTool, listTools } from "../test/webmcp-page.ts";

const EXAMPLES = ["hono", "express", "elysia"] as const;
const examples = join(import.meta.dirname, "examples");
const guide = readFileSync(join(import.meta.dirname, "../docs/webmcp.md"), "utf8");

/** The lines that make the tool, without the app around them. */
const toolLines = (name: string): string =>
  readFileSync(join(examples, `${name}.ts`), "utf8")
    .split("// tool\n")[1]
    ?.split("// end\n")[0] ?? "";

test.each(EXAMPLES)("the guide shows the %s example as it is, in ten lines or fewer", (name) => {
  const lines = toolLines(name);
  expect(lines.trim().split("\n").length).toBeLessThanOrEqual(10);
  expect(guide).toContain(`import { createWebMcpCompanion } from "nightshift/webmcp";\n\n${lines}\`\`\``);
});

describe.skipIf(!hasChromium)("the examples in Chromium", () => {
  let browser: TestBrowser;
  beforeAll(async () => {
    browser = await openChromium({ webmcp: true });
  });
  afterAll(() => browser?.close());

  test.each(EXAMPLES)(
    "the %s app, started as its first line says, offers a tool that works",
    async (name) => {
      const port = await findFreePort();
      const app = spawn(bunBinary(), [join(examples, `${name}.ts`)], {
        env: { PATH: process.env["PATH"] ?? "", PORT: String(port) },
        stdio: "ignore",
      });
      const base = `http://127.0.0.1:${port}`;
      try {
        await eventually(() =>
          fetch(`${base}/books/7`).then(
            (response) => response.json(),
            () => undefined,
          ),
        ).toEqual({ id: "7", title: "Emma" });
        const page = await browser.context.newPage();
        await page.goto(`${base}/__companion/`);
        await eventually(() => listTools(page)).toEqual(["getBook"]);
        expect(await invokeTool(page, "getBook", { id: "a/b", language: "en" })).toEqual({
          status: 200,
          body: { id: "a/b", title: "Emma" },
        });
        expect(await invokeTool(page, "getBook", { id: "7", language: "xx" })).toMatchObject({
          status: 400,
          body: { path: "/language", reason: 'must be one of "en", "pt"' },
        });
        await page.close();
      } finally {
        app.kill();
      }
    },
  );
});
