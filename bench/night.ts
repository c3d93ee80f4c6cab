// What 200 workers that report cost one server, as a share of one core; and how soon the Night page has its first
// cards with 1,000 runs and how much it downloads. Run with: node bench/run.mjs night
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Page } from "playwright-core";
import { readPort } from "../server/fixtures/test-server.ts";
import { ask } from "../server/fixtures/http-client.ts";
import { batchOf } from "../server/night/fixtures/batches.ts";

const WORKERS = 200;
const WARM_UP_MS = 10_000;
const MEASURED_MS = 30_000;
const RUNS = 1_000;
const MOST_BYTES = 120 * 1024;
const root = join(import.meta.dirname, "..");
const work = mkdtempSync(join(tmpdir(), "nightshift-bench-"));
const TICKS_PER_SECOND = 100;
const MARKS = 4;

const bun = join(dirname(createRequire(import.meta.url).resolve("bun/package.json")), "bin/bun.exe");

const cpuMs = (pid: number): number => {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
    .replace(/^.*\) /, "")
    .split(" ");
  return ((Number(fields[11]) + Number(fields[12])) * 1000) / TICKS_PER_SECOND;
};

const post = async (port: number, key: string, worker: string, body: object) => {
  const answer = await ask(port, {
    method: "POST",
    path: `/api/fleet/bench/${worker}/events`,
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  if (answer.status !== 200) throw new Error(`${answer.status} ${answer.text}`);
  return answer.json() as { nextInMs: number };
};

/** A worker that has something to say all the time: log lines, and a point of its context every ten seconds. */
const report = async (port: number, key: string, nth: number, isOver: () => boolean): Promise<number> => {
  const worker = `w${nth}`;
  let seq = 1;
  let reports = 0;
  let pointAt = 0;
  let last = Date.now();
  while (!isOver()) {
    const now = Date.now();
    const lines = Array.from(
      { length: Math.max(1, Math.round((now - last) / 1_000)) },
      (_, at) => `${new Date(now).toISOString()} tool: Bash npm test -- --filter ${at}`,
    );
    last = now;
    const events: { kind: string; session: number; data: Record<string, unknown> }[] = [
      { kind: "log", session: 1, data: { lines } },
    ];
    if (now - pointAt >= 10_000) {
      pointAt = now;
      events.push({
        kind: "usage",
        session: 1,
        data: { contextTokens: 20_000 + seq * 100, costUsd: seq / 100, tokens: seq * 1_000 },
      });
    }
    const batch = batchOf(
      { run: { id: `bench-run-${nth}` }, report: { lastEvent: lines.at(-1) ?? "" }, events },
      seq,
    );
    seq += events.length;
    const { nextInMs } = await post(port, key, worker, batch);
    reports += 1;
    await new Promise((resolve) => setTimeout(resolve, nextInMs));
  }
  return reports;
};

const start = async (runtime: string): Promise<{ child: ChildProcess; port: number; home: string }> => {
  const home = join(work, runtime);
  const child = spawn(
    runtime === "Bun" ? bun : "node",
    [runtime === "Bun" ? "server/main.ts" : "dist/server/main.js"],
    {
      cwd: root,
      env: {
        PATH: process.env["PATH"],
        HOME: work,
        NIGHTSHIFT_HOME: home,
        MEMORY_API_KEY_FILE: join(home, "key"),
        PORT: "0",
        LOG_LEVEL: "error",
      },
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  return { child, port: await readPort(child), home };
};

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

const measureReports = async (runtime: string): Promise<void> => {
  const { child, port, home } = await start(runtime);
  const key = readFileSync(join(home, "key"), "utf8").trim();
  let isOver = false;
  const workers: Promise<number>[] = [];
  for (let nth = 0; nth < WORKERS; nth++) {
    workers.push(report(port, key, nth, () => isOver));
    await wait(WARM_UP_MS / WORKERS);
  }
  await wait(WARM_UP_MS);
  const before = cpuMs(child.pid ?? 0);
  const began = Date.now();
  await wait(MEASURED_MS);
  const share = (cpuMs(child.pid ?? 0) - before) / (Date.now() - began);
  isOver = true;
  const reports = (await Promise.all(workers)).reduce((sum, one) => sum + one, 0);
  console.log(
    `${runtime}: ${WORKERS} workers, ${reports} reports: ${(share * 100).toFixed(1)} % of one core (budget 10 %)`,
  );
  child.kill("SIGTERM");
  await once(child, "exit");
  if (share > 0.1) process.exitCode = 1;
};

/** What a first visit receives, as it comes over the network. */
const measureDownload = async (page: Page, url: string): Promise<number> => {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("Network.enable");
  await devtools.send("Network.setCacheDisabled", { cacheDisabled: true });
  let bytes = 0;
  devtools.on("Network.loadingFinished", ({ encodedDataLength }) => (bytes += encodedDataLength));
  await page.goto("about:blank");
  await page.goto(url);
  await page.locator(".worker").first().waitFor();
  await page.locator("table.runs tbody tr").last().waitFor();
  return bytes;
};

const measurePage = async (): Promise<void> => {
  const { openChromium } = await import("../test/chromium.ts");
  const { child, port, home } = await start("Node");
  const key = readFileSync(join(home, "key"), "utf8").trim();
  const token = readFileSync(join(home, "admin-token"), "utf8").trim();
  for (let nth = 0; nth < RUNS; nth++) {
    const status = nth < 20 ? "running" : nth % 50 === 0 ? "failed" : "complete";
    const startedAt = new Date(Date.now() - nth * 600_000).toISOString();
    const events = Array.from({ length: 40 }, (_, at) => ({
      kind: "usage",
      session: 1 + (at % MARKS),
      data: { contextTokens: at * 3_000 },
    }));
    const batch = batchOf({
      run: { id: `bench-page-${nth}`, project: `project-${nth % 12}`, startedAt, windowTokens: 200_000 },
      report: { status },
      events,
    });
    await post(port, key, `page-${nth}`, batch);
  }
  const browser = await openChromium();
  const page = await browser.context.newPage();
  await page.goto(`http://localhost:${port}/app`);
  await page.getByLabel("Token").fill(token);
  await page.keyboard.press("Enter");
  await page.locator(".worker").first().waitFor();
  const times: number[] = [];
  for (let visit = 0; visit < 5; visit++) {
    await page.goto("about:blank");
    const began = performance.now();
    await page.goto(`http://localhost:${port}/app`);
    await page.locator(".worker").first().waitFor();
    times.push(performance.now() - began);
  }
  const bytes = await measureDownload(page, `http://localhost:${port}/app`);
  console.log(
    `the Night page downloads ${(bytes / 1024).toFixed(0)} KB, compressed, data and all (budget ${MOST_BYTES / 1024} KB)`,
  );
  if (bytes > MOST_BYTES) process.exitCode = 1;
  const middle = times.toSorted((a, b) => a - b)[2] ?? 0;
  console.log(`the Night page with ${RUNS} runs: first cards after ${middle.toFixed(0)} ms (budget 1000 ms)`);
  await browser.close();
  child.kill("SIGTERM");
  await once(child, "exit");
  if (middle > 1_000) process.exitCode = 1;
};

await measureReports("Node");
await measureReports("Bun");
await measurePage();
rmSync(work, { recursive: true, force: true });
