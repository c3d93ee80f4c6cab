import { expect, test } from "vitest";
import { plainAnswer } from "./plain-answer.ts";

const luminance = (color: string): number => {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};

const contrast = (a: string, b: string): number => {
  const [dark = 0, light = 0] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (light + 0.05) / (dark + 0.05);
};

test("its text is readable on a light page and on a dark one", async () => {
  const page = await plainAnswer(404, { title: "No", text: "<b>" }, { isHtml: true, method: "GET" }).text();
  const colors = page.match(/#[0-9a-f]{6}/g) ?? [];
  expect(colors).toHaveLength(2);
  expect(contrast(colors[0] ?? "", "#ffffff")).toBeGreaterThan(4.5);
  expect(contrast(colors[1] ?? "", "#121212")).toBeGreaterThan(4.5);
  expect(page).toContain("&lt;b&gt;");
});
