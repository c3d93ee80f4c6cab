import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { hasChromium, openChromium } from "./chromium.ts";

// The picture that others show of a link to the docs. With NIGHTSHIFT_PICTURES=1 it is made again.

const root = resolve(import.meta.dirname, "..");
const inline = (file: string, type: string): string =>
  `data:${type};base64,${readFileSync(resolve(root, file)).toString("base64")}`;

const html = (): string => `<!doctype html><meta charset="utf-8"><style>
  * { margin: 0; box-sizing: border-box }
  body { width: 1200px; height: 630px; overflow: hidden; background: #f7f7f4; color: #1b1b1f; font: 600 30px/42px system-ui, sans-serif }
  header { display: flex; gap: 28px; align-items: center; padding: 52px 64px 34px }
  header img { width: 84px }
  h1 { font-size: 60px; line-height: 72px; letter-spacing: -0.02em }
  main { margin: 0 64px; border: 1px solid #d4d4cf; border-radius: 16px 16px 0 0; overflow: hidden }
  main img { display: block; width: 100% }
</style><header><img src="${inline("docs/public/logo.svg", "image/svg+xml")}" alt=""><div><h1>Nightshift</h1>
<p>Coding agents that work unattended, and are done when your gates say so.</p></div></header>
<main><img src="${inline("docs/images/night.webp", "image/webp")}" alt=""></main>`;

describe.skipIf(!hasChromium)("the card of the docs", () => {
  test("holds the name, the sentence and the Night page without cutting a word", async () => {
    const browser = await openChromium();
    try {
      const page = await browser.context.newPage();
      await page.setViewportSize({ width: 1200, height: 630 });
      await page.setContent(html());
      await expect
        .poll(() => page.locator("main img").evaluate((image) => (image as HTMLImageElement).naturalWidth))
        .toBe(1280);
      const words = await page.locator("header p").boundingBox();
      expect((words?.x ?? 0) + (words?.width ?? 0)).toBeLessThanOrEqual(1200 - 64);
      expect(words?.height).toBeLessThanOrEqual(84);
      if (process.env["NIGHTSHIFT_PICTURES"] === "1")
        await page.screenshot({ path: resolve(root, "docs/public/social-card.png"), animations: "disabled" });
    } finally {
      await browser.close();
    }
  });
});
