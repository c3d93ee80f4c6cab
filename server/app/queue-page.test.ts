// @module-tag long
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createSilentLog } from "../../core/log.ts";
import { addJob } from "../../queue/add-job.ts";
import { claimJob } from "../../queue/claim-job.ts";
import { finishRun, noteRun } from "../../queue/hold-lease.ts";
import { openQueue } from "../../queue/open-queue.ts";
import { beginWork } from "../../queue/publish-run.ts";
import type { Queue } from "../../queue/queue.ts";
import { findViolations } from "../../test/accessibility.ts";
import { hasChromium, openChromium, type TestBrowser } from "../../test/chromium.ts";
import { hasPostgres } from "../../test/postgres/find-postgres.ts";
import { startPostgres, type TestPostgres } from "../../test/postgres/start-postgres.ts";
import { startTestServer, type TestServer } from "../fixtures/test-server.ts";
import { paint } from "./fixtures/paint.ts";

// The Queue page over a real queue. With NIGHTSHIFT_PICTURES=1 its picture in the docs is made again.

const PHONE = { width: 390, height: 844 };
const DESK = { width: 1280, height: 900 };

const TASKS = [
  { worker: "links", task: "Fix the broken links in docs/", priority: 5 },
  { worker: "parser", task: "Cover the parser's edge cases with tests", priority: 3 },
  { worker: "types", task: "Remove every explicit any from src/", priority: 2 },
  { worker: "release", task: "Write the notes of the next release", after: [1, 2] },
  { worker: "a11y", task: "Every page passes axe, in light and dark", priority: -1 },
];

const openPage = async (browser: TestBrowser, server: TestServer): Promise<[Page, string[]]> => {
  const complaints: string[] = [];
  const page = await browser.context.newPage();
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("console", (message) => {
    if (message.type() === "error") complaints.push(message.text());
  });
  await page.setViewportSize(DESK);
  await page.emulateMedia({ reducedMotion: "reduce" });
  await page.goto(`http://localhost:${server.port}/app/queue`);
  await page.getByLabel("Token").fill(server.adminToken);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Queue", level: 1 }).waitFor();
  return [page, complaints];
};

/** Without a finding of axe, and as wide as the screen, on a phone and a desk, in light and dark. */
const expectFit = async (page: Page): Promise<void> => {
  for (const colorScheme of ["dark", "light"] as const)
    for (const size of [PHONE, DESK]) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize(size);
      expect(await findViolations(page)).toEqual([]);
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      expect(overflow).toBeLessThanOrEqual(0);
    }
};

describe.skipIf(!hasChromium)("the Queue page of a server without PostgreSQL", () => {
  test("says that there is no queue and how to get one, without a failed request", async () => {
    const server = await startTestServer("node");
    const browser = await openChromium();
    try {
      const [page, complaints] = await openPage(browser, server);
      await page.getByText("This server has no queue").waitFor();
      await page.getByText("nightshift serve").waitFor();
      await expectFit(page);
      expect(complaints).toEqual([]);
    } finally {
      await browser.close();
      await server.stop();
    }
  });
});

describe.skipIf(!hasChromium || !hasPostgres)("the Queue page in Chromium", () => {
  let postgres: TestPostgres;
  let server: TestServer;
  let queue: Queue;
  let browser: TestBrowser;
  let page: Page;
  let complaints: string[];

  const fill = async () => {
    for (const task of TASKS)
      await addJob(queue, {
        repo: "git@example.com:team/atlas.git",
        dir: undefined,
        host: undefined,
        isInPlace: false,
        priority: 0,
        after: [],
        maxAttempts: 3,
        ...task,
      });
    const take = async (host: string) => {
      const claim = await claimJob(queue, { pool: `${host}.4711`, host, leaseMs: 600_000 });
      if (!claim) throw new Error("nothing to take");
      return claim;
    };
    const progress = { status: "running", session: 2, max: 10, costUsd: 0.84, tokens: 412_000 } as const;
    const { lease } = await take("build-1");
    await beginWork(queue, lease);
    await noteRun(queue, lease, { progress, branch: "nightshift/links" });
    await take("build-2");
    await finishRun(queue, (await take("build-2")).lease, {
      state: "failed",
      reason: "out of sessions: 10 sessions used",
      verdict: "max-reached",
    });
  };

  beforeAll(async () => {
    postgres = await startPostgres();
    const url = await postgres.createDatabase();
    server = await startTestServer("node", { env: { DATABASE_URL: url } });
    queue = await openQueue({ url, poolSize: 4, waitMs: 5_000 }, { log: createSilentLog() });
    browser = await openChromium();
    [page, complaints] = await openPage(browser, server);
  });
  afterAll(async () => {
    await browser?.close();
    await queue?.close();
    await server?.stop();
    await postgres?.stop();
  });

  const card = (words: string) =>
    page.getByRole("list", { name: "Tasks" }).getByRole("listitem").filter({ hasText: words });

  test("tells how to fill an empty queue, and shows by itself what came into it", async () => {
    await page.getByText("The queue is empty").waitFor();
    await expectFit(page);
    await fill();
    await card("Fix the broken links").getByText("Running").waitFor();
    await card("Fix the broken links").getByText("session 2/10 · $0.84").waitFor();
    await card("notes of the next release").getByText("after 1, 2").waitFor();
    await page.getByText("build-2 1 task").waitFor();
    expect(await page.getByRole("list", { name: "Tasks" }).locator(".status").allInnerTexts()).toEqual([
      "Running",
      "Running",
      "Ready",
      "Waiting",
      "Failed",
    ]);
    await paint(page, "queue");
    await expectFit(page);
  });

  test("puts a failed task back after asking, and shows what happened to it", async () => {
    await card("explicit any").getByRole("button", { name: "Retry" }).click();
    await page.getByText("Start over").click();
    expect(await findViolations(page)).toEqual([]);
    await page.getByRole("dialog").getByRole("button", { name: "Retry" }).click();
    await page.getByText("Task 3 is in the queue again.").waitFor();
    await card("explicit any").getByText("Ready").waitFor();
    await card("explicit any").getByText("What happened").click();
    await card("explicit any").getByText("Retried: from scratch").waitFor();
  });

  test("asks before it cancels, and keeps the task for who thinks better of it", async () => {
    await card("passes axe").getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("button", { name: "Keep it" }).click();
    await card("passes axe").getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("button", { name: "Cancel the task" }).click();
    await page.getByText("Task 5 is cancelled.").waitFor();
    await card("passes axe").getByText("Cancelled before it ran").waitFor();
    await card("parser's edge cases").getByRole("button", { name: "Cancel" }).click();
    await page.getByLabel("Stop now, without a handoff").check();
    await page.getByRole("button", { name: "Cancel the task" }).click();
    await page.getByText("Task 2: its pool has been asked to stop it.").waitFor();
    const row = await queue.db.get("SELECT cancel FROM queue_tasks WHERE id = 2");
    expect(row).toEqual({ cancel: "now" });
  });

  test("shows the tasks of one state alone", async () => {
    await page.getByLabel("Show").selectOption("cancelled");
    await expect.poll(() => page.locator(".memories > li").count()).toBe(1);
    await page.getByLabel("Show").selectOption("");
    await expect.poll(() => page.locator(".memories > li").count()).toBe(5);
    expect(complaints).toEqual([]);
  });
});
