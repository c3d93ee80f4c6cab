import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findViolations } from "../../test/accessibility.ts";
import { hasChromium, openChromium, type TestBrowser } from "../../test/chromium.ts";
import { startTestServer, type TestServer } from "../fixtures/test-server.ts";
import { paint } from "./fixtures/paint.ts";
import { tellContext, tellNight } from "./fixtures/night-story.ts";

// The Night page over a night that was told. With NIGHTSHIFT_PICTURES=1 the pictures of the docs are made again.

const PHONE = { width: 390, height: 844 };
const DESK = { width: 1280, height: 900 };

describe.skipIf(!hasChromium)("the Night page in Chromium", () => {
  let server: TestServer;
  let browser: TestBrowser;
  let page: Page;
  let runs: Record<string, string>;
  const complaints: string[] = [];
  const key = () => readFileSync(join(server.home, "memory-key"), "utf8").trim();

  beforeAll(async () => {
    server = await startTestServer("node");
    runs = await tellNight({ port: server.port, key: key() });
    browser = await openChromium();
    page = await browser.context.newPage();
    page.on("pageerror", (error) => complaints.push(error.message));
    page.on("console", (message) => {
      if (message.type() === "error") complaints.push(message.text());
    });
    // Somebody who looked last in the evening.
    const looked = new Date(Date.now() - 14 * 3_600_000).toISOString();
    await page.addInitScript((at) => localStorage.setItem("nightshift-looked", at), looked);
    await page.setViewportSize(DESK);
    await page.emulateMedia({ reducedMotion: "reduce" });
    await page.goto(`http://localhost:${server.port}/app`);
    await page.getByLabel("Token").fill(server.adminToken);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Night" }).waitFor();
  });
  afterAll(async () => {
    await browser?.close();
    await server?.stop();
  });

  /** Without a finding of axe, and as wide as the screen, on a phone and a desk, in light and dark. */
  const expectFit = async (): Promise<void> => {
    for (const colorScheme of ["light", "dark"] as const)
      for (const size of [PHONE, DESK]) {
        await page.emulateMedia({ colorScheme });
        await page.setViewportSize(size);
        expect(await findViolations(page)).toEqual([]);
        expect(
          await page.evaluate(() => document.documentElement.scrollWidth - innerWidth),
        ).toBeLessThanOrEqual(0);
      }
    await page.emulateMedia({ colorScheme: "light" });
    await page.setViewportSize(DESK);
  };

  test("says in one line what became of the night, and puts first what needs somebody", async () => {
    await page.getByText("3 done").waitFor();
    expect(await page.locator(".topline").innerText()).toMatch(
      /3 done\s+2 need you\s+2 running\s+\$\d+\.\d\d/,
    );
    const needy = page.getByRole("region", { name: "Needs you" });
    await needy.getByText("3 sessions in a row without a commit").waitFor();
    await needy.getByText(/Waits until \d\d:\d\d for the rate limit/).waitFor();
    const names = await page.getByRole("heading", { level: 3 }).allInnerTexts();
    expect(names.map((name) => name.split(" ")[0])).toEqual(["search", "checkout", "docs", "invoices"]);
    await paint(page, "night");
    await expectFit();
    await page.emulateMedia({ colorScheme: "dark" });
    await page.setViewportSize(PHONE);
    await paint(page, "night-phone");
    await page.emulateMedia({ colorScheme: "light" });
    await page.setViewportSize(DESK);
  });

  test("filters the runs, and says so where none fits", async () => {
    const rows = page.locator("table.runs tbody tr");
    await page.getByLabel("Project").selectOption("shop");
    await expect.poll(() => rows.count()).toBe(2);
    await page.getByLabel("Status").selectOption("failed");
    await page.getByText("No runs match these filters.").waitFor();
    await page.getByLabel("Status").selectOption("");
    await page.getByLabel("Project").selectOption("");
    await expect.poll(() => rows.count()).toBe(7);
  });

  test("shows a run with its sessions, what they cost, and its log", async () => {
    await page.getByRole("link", { name: "invoices" }).first().click();
    await page.getByRole("heading", { name: "invoices", level: 1 }).waitFor();
    await page.getByRole("img", { name: /Context over 2 sessions: now 96k of 200k tokens/ }).waitFor();
    await page.getByText("The critic stopped an action").waitFor();
    await page.getByRole("cell", { name: "$1.42" }).waitFor();
    await page.getByRole("log").getByText("I fix the rounding").waitFor();
    await paint(page, "run", true);
    await expectFit();
    await page.setViewportSize(PHONE);
    await paint(page, "run-phone");
    await page.setViewportSize(DESK);
  });

  test("shows a patch side by side where there is room, one below the other on a phone", async () => {
    await page.locator("summary", { hasText: "Session 1" }).click();
    await page.locator("summary", { hasText: /^Changes$/ }).click();
    await page.getByText("src/parse.test.ts").waitFor();
    expect(await page.locator("table.diff.beside").count()).toBe(2);
    expect(await page.locator("table.diff mark").count()).toBeGreaterThan(0);
    await page.locator(".diff-file").first().scrollIntoViewIfNeeded();
    await page.evaluate(() => document.querySelector(".diff-file")?.scrollIntoView({ block: "center" }));
    await paint(page, "patch");
    await expectFit();
    await page.setViewportSize(PHONE);
    await expect.poll(() => page.locator("table.diff.beside").count()).toBe(0);
    await page.evaluate(() => document.querySelector(".diff-file")?.scrollIntoView({ block: "start" }));
    await paint(page, "patch-phone");
    await page.setViewportSize(DESK);
  });

  test("reads a handoff and a report of the gates when they are opened", async () => {
    await page.locator("summary", { hasText: "Handoff to the next session" }).first().click();
    await page.getByText("the totals in src/report.ts still add floats").first().waitFor();
    await page.locator("summary", { hasText: "Gate report" }).first().click();
    await page.locator(".paper", { hasText: "uncommitted" }).first().waitFor();
  });

  test("asks before it stops a worker, and shows that the request waits for the host", async () => {
    await page.getByRole("button", { name: "Stop", exact: true }).click();
    await page.getByText("Its agent writes a handoff first").waitFor();
    expect(await findViolations(page)).toEqual([]);
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("button", { name: "Add a note" }).click();
    await page.getByRole("textbox", { name: "Note" }).fill("Mind the rounding");
    await page.getByRole("button", { name: "Send note" }).click();
    await page.getByText("Sent: waiting for the worker's host").waitFor();
    await expectFit();
  });

  test("keeps what is typed into a dialog while news of the worker come in", async () => {
    await page.getByRole("button", { name: "Adjust", exact: true }).click();
    const sessions = page.getByRole("spinbutton", { name: "Maximum sessions" });
    await sessions.fill("9");
    await tellContext({ port: server.port, key: key() }, "invoices", 97_000);
    await page
      .getByRole("img", { name: /now 97k of 200k tokens/, includeHidden: true })
      .waitFor({ state: "attached" });
    expect(await sessions.inputValue()).toBe("9");
    await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
  });

  test("shows how the work was judged, where its receipt is, and whom the sandbox let it call", async () => {
    await page.goto(`http://localhost:${server.port}/app/night/${runs["importer"]}`);
    await page.getByText("Verdict: complete (accepted)").first().waitFor();
    await page.getByText("vitest.config.ts:2 was changed").first().waitFor();
    await page.getByText("/home/ci/.workers/importer/receipts/001.json").waitFor();
    const last = page.locator("details.session[open]");
    await last.getByText("Network: 3 hosts, 1 refused").waitFor();
    await last.locator("summary", { hasText: "Who was called" }).click();
    await last.getByText("refused: not in network.allow").waitFor();
    await expectFit();
  });

  test("a run that needs nobody goes from the top, by one click", async () => {
    await page.goto(`http://localhost:${server.port}/app/night/${runs["checkout"]}`);
    await page.getByRole("button", { name: "Dismiss" }).click();
    await page.getByRole("button", { name: "Dismiss" }).waitFor({ state: "detached" });
    await page.getByRole("link", { name: "Night" }).first().click();
    await page.getByText("1 needs you").waitFor();
  });

  test("shows the memory, says what a worker would be told and why, and takes a judgement back", async () => {
    const learn = (trigger: string, learning: string) =>
      fetch(`http://localhost:${server.port}/learn`, {
        method: "POST",
        headers: { authorization: `Bearer ${key()}`, "content-type": "application/json" },
        body: JSON.stringify({ trigger, learning, confidence: 0.8, project: "ledger" }),
      });
    await learn("adding amounts of money", "amounts are integers of cents in this project");
    await learn("deploying the api on Kubernetes", "run the database migration job first");
    await page.getByRole("link", { name: "Memory" }).click();
    await page.getByText("2 learnings, the newest first").waitFor();
    await page.getByLabel("What would a worker be told about this?").fill("deploy the api on kubernetes");
    await page.keyboard.press("Enter");
    await page.getByText("A worker would be told").waitFor();
    await paint(page, "memory");
    await expectFit();
    const card = page.getByRole("listitem").filter({ hasText: "run the database migration job first" });
    await card.getByRole("button", { name: /Reject/ }).click();
    await page.getByText("Rejected: it counts for less.").waitFor();
    await card.getByText("confidence 65 %").waitFor();
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByText("Taken back.").waitFor();
    await card.getByText("confidence 80 %").waitFor();
    await expectFit();
  });

  test("a phone with a token that may only watch sees everything and is offered nothing", async () => {
    const answer = await fetch(`http://localhost:${server.port}/api/tokens`, {
      method: "POST",
      headers: { authorization: `Bearer ${server.adminToken}`, "content-type": "application/json" },
      body: JSON.stringify({ actions: ["watch"] }),
    });
    const { token } = (await answer.json()) as { token: string };
    const phone = await openChromium();
    try {
      const guest = await phone.context.newPage();
      await guest.setViewportSize(PHONE);
      // As a phone opens what its camera read: the token is behind the #, and gone from the address at once.
      await guest.goto(`http://localhost:${server.port}/app/night/${runs["invoices"]}#pair=${token}`);
      await guest.getByRole("heading", { name: "invoices", level: 1 }).waitFor();
      expect(guest.url()).not.toContain(token);
      expect(await guest.getByRole("button", { name: /Stop|Resume|Adjust|note/ }).count()).toBe(0);
      expect(await guest.getByRole("link", { name: "Tokens" }).count()).toBe(0);
    } finally {
      await phone.close();
    }
  });

  test("broke none of its rules, and no request of it failed", () => {
    expect(complaints).toEqual([]);
  });
});
