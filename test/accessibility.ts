import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

type AxeWindow = {
  axe: { run: () => Promise<{ violations: { id: string; impact: string; nodes: { html: string }[] }[] }> };
};

/** What axe finds wrong with a page as it is now, one line each. */
export const findViolations = async (page: Page): Promise<string[]> => {
  // The debugger evaluates beside the page's policy, which stays as strict as it is.
  await page.evaluate(AXE);
  return page.evaluate(async () => {
    const { axe } = window as unknown as AxeWindow;
    return (await axe.run()).violations.map(({ id, impact, nodes }) => `${impact} ${id}: ${nodes[0]?.html}`);
  });
};
