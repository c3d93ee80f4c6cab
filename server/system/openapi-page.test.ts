// @module-tag long

import { expect, test } from "vitest";
import { findViolations } from "../../test/accessibility.ts";
import { hasChromium, openChromium } from "../../test/chromium.ts";
import { startTestServer } from "../fixtures/test-server.ts";

test.skipIf(!hasChromium)(
  "the API's page names its groups and operations in addresses, and is accessible with them open",
  async () => {
    const server = await startTestServer("node");
    const browser = await openChromium();
    try {
      const page = await browser.context.newPage();
      await page.goto(`http://localhost:${server.port}/openapi`);
      await page
        .getByRole("navigation", { name: "Groups" })
        .getByRole("link", { name: "publishing" })
        .click();
      expect(new URL(page.url()).hash).toBe("#publishing");
      expect(await page.locator("#post-api-deployments-id-activate summary").textContent()).toContain(
        "/api/deployments/{id}/activate",
      );
      const ids = await page.locator("[id]").evaluateAll((all) => all.map(({ id }) => id));
      expect(new Set(ids).size).toBe(ids.length);
      for (const colorScheme of ["light", "dark"] as const)
        for (const width of [1280, 390]) {
          await page.emulateMedia({ colorScheme });
          await page.setViewportSize({ width, height: 800 });
          // Each kind of content once: a hundred open operations are a long look.
          await page.locator("details").evaluateAll((all) => {
            for (const one of all.slice(0, 12)) one.setAttribute("open", "");
          });
          expect(await findViolations(page)).toEqual([]);
        }
    } finally {
      await browser.close();
      await server.stop();
    }
  },
);
