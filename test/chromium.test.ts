import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { findChromium, hasChromium, openChromium } from "./chromium.ts";

test("a browser named by CHROMIUM_PATH wins over whatever is installed", () => {
  expect(findChromium({ CHROMIUM_PATH: "/opt/my-chrome", PATH: "" })).toBe("/opt/my-chrome");
});

test("a browser on PATH is found, a file that cannot be run is not", async () => {
  const folder = await mkdtemp(join(tmpdir(), "nightshift-path-"));
  try {
    const file = join(folder, "google-chrome");
    await writeFile(file, "#!/bin/sh\n", { mode: 0o644 });
    expect(findChromium({ PATH: folder })).not.toBe(file);
    await chmod(file, 0o755);
    expect([file, "/usr/bin/chromium"]).toContain(findChromium({ PATH: folder }));
  } finally {
    await rm(folder, { recursive: true });
  }
});

test.skipIf(!hasChromium)("the browser opens a page with the WebMCP feature switched on", async () => {
  const browser = await openChromium({ webmcp: true });
  try {
    const page = await browser.context.newPage();
    await page.route("http://127.0.0.1/", (route) =>
      route.fulfill({ contentType: "text/html", body: "<p>hello" }),
    );
    await page.goto("http://127.0.0.1/");
    expect(await page.textContent("p")).toBe("hello");
    expect(await page.evaluate(() => "modelContext" in document)).toBe(true);
  } finally {
    await browser.close();
  }
});
