// @module-tag long

import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterEach, beforeEach, expect, test } from "vitest";
import { systemClock } from "../../core/clock.ts";
import { type MemoryServer, startMemoryServer } from "../../server/memory/fixtures/start-memory-server.ts";
import { carryOut } from "../../worker/steerer/carry-out.ts";
import { openSteerLog } from "../../worker/steerer/steer-log.ts";
import { steerSettings } from "../../worker/steerer/steer-settings.ts";
import { hasChromium, openChromium, type TestBrowser } from "../chromium.ts";
import { Night } from "../faults/night.ts";

// A real worker whose verdict nobody but a person can decide, as that person meets it in a browser.

let night: Night;
let server: MemoryServer;
let browser: TestBrowser;
let steerer: ReturnType<typeof carryOut> | undefined;
beforeEach(async () => {
  night = new Night();
  server = await startMemoryServer();
  night.config = { server: { url: server.url } };
  night.env["MEMORY_API_KEY_FILE"] = server.keyFile;
  browser = await openChromium();
});
afterEach(async () => {
  await browser.close();
  await steerer?.close();
  steerer = undefined;
  await night.dispose();
  await server.stop();
});

/** The page of the server, signed in. */
const openPage = async (): Promise<Page> => {
  const page = await browser.context.newPage();
  await page.goto(`${server.url}/app`);
  await page.getByLabel("Token").fill(readFileSync(join(server.settings.home, "admin-token"), "utf8").trim());
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Night" }).waitFor();
  return page;
};

/** Each session changes a test together with the code; the task says that it may, so a person has to say. */
const leaveUndecided = async (): Promise<void> => {
  const price = (amount: number): string => `export const price = ${amount};\n`;
  const expecting = (amount: number): string =>
    `import assert from "node:assert/strict";\nimport { test } from "node:test";\nimport { price } from "../price.mjs";\ntest("has a price", () => assert.equal(price, ${amount}));\n`;
  night.repository("shop", "node --test test/");
  night.write("shop/price.mjs", price(1));
  night.write("shop/test/price.test.mjs", expecting(1));
  night.git("shop", "add", "-A");
  night.git("shop", "commit", "-qm", "price");
  const state = await night.finish(
    await night.plan({
      name: "shop",
      task: "raise the price",
      parts: [
        {
          steps: [
            { do: "run", command: "sed -i 's/= 1/= 2/' price.mjs; sed -i 's/price, 1/price, 2/' test/*.mjs" },
            { do: "run", command: "git commit -qam raised || true" },
            { do: "say", text: "DONE: raised" },
          ],
        },
      ],
    }),
  );
  expect(state.status).toBe("unverified");
};

const startSteerer = () => {
  night.write("agent.config.json", JSON.stringify(night.config));
  const settings = steerSettings({ dirs: [night.root] }, night.loaded(), { env: night.env, cwd: night.root });
  const log = openSteerLog({ home: night.home, now: Date.now, onEvent: () => {} }, { isDryRun: false });
  steerer = carryOut({ clock: systemClock, env: night.env, fetch, home: night.home, log }, settings);
};

test.skipIf(!hasChromium)(
  "the page says the verdict in one word and its reasons one click further, and takes a person's word",
  async () => {
    await leaveUndecided();
    startSteerer();
    const page = await openPage();
    const card = page.getByRole("region", { name: "Needs you" });
    await card.getByText("unverified", { exact: true }).first().waitFor();
    await card.getByRole("link", { name: "shop" }).first().click();
    const notice = page.locator(".notice", { hasText: "Verdict: unverified" });
    await notice.getByText(/^test\/price\.test\.mjs was changed with the code/).waitFor();
    await page.getByRole("button", { name: "Accept work" }).click();
    await page.getByRole("dialog").getByRole("textbox").fill("two it is");
    await page
      .getByRole("dialog")
      .getByRole("button", { name: /accept/i })
      .click();
    await page.getByText("Verdict: complete (accepted)").first().waitFor();
    expect(night.worker("shop")).toMatchObject({
      status: "complete",
      verdict: { accepted: { reason: "two it is" } },
    });
    expect(night.git("shop", "log", "--notes=nightshift", "-1")).toContain("complete (accepted)");
  },
);

test.skipIf(!hasChromium)("work that is refused on the page goes on with what was said", async () => {
  await leaveUndecided();
  startSteerer();
  const page = await openPage();
  await page.getByRole("link", { name: "shop" }).first().click();
  await page.getByRole("button", { name: "Refuse work" }).click();
  await page.getByRole("dialog").getByRole("textbox").fill("three, not two");
  await page
    .getByRole("dialog")
    .getByRole("button", { name: /refuse/i })
    .click();
  await page.getByRole("heading", { name: "2 sessions" }).waitFor();
  await night.untilShown("unverified", "shop");
  expect(night.worker("shop").sessions).toHaveLength(2);
});
