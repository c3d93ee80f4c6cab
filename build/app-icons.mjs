// Draws the PNG icons that phones want from icon.svg with Chromium: `node build/app-icons.mjs`, after a change of it.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

const folder = fileURLToPath(new URL("../server/app/ui/icons/", import.meta.url));
const svg = readFileSync(`${folder}icon.svg`, "utf8");
// Phones cut their own corners: no rounding there, and for a mask a margin around what must be seen.
const square = svg.replace(' rx="6"', "");
const masked = square.replace("<path", '<path transform="translate(3 3) scale(0.75)"');

const ICONS = [
  ["icon-192.png", 192, svg],
  ["icon-512.png", 512, svg],
  ["icon-maskable.png", 512, masked],
  ["apple-touch-icon.png", 180, square],
];

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM_PATH ?? "/usr/bin/chromium",
  args: ["--no-sandbox"],
});
for (const [name, size, picture] of ICONS) {
  const page = await browser.newPage({ viewport: { width: size, height: size } });
  await page.setContent(
    `<style>body{margin:0}svg{display:block;width:${size}px;height:${size}px}</style>${picture}`,
  );
  await page.screenshot({ path: `${folder}${name}`, omitBackground: true });
  await page.close();
}
await browser.close();
