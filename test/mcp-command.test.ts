// @module-tag long
import { join, resolve } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { Client as OlderClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as OlderTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { afterEach, beforeEach, expect, test } from "vitest";
import { HANG, WorkerLab, say } from "./worker/worker-lab.ts";

// `nightshift mcp` as an agent starts it, spoken to by the official client of each era.

let lab: WorkerLab;
let close: (() => Promise<void>) | undefined;
beforeEach(() => {
  lab = new WorkerLab();
});
afterEach(async () => {
  await close?.();
  close = undefined;
  await lab.dispose();
});

const ERAS = ["2026-07-28", "2025-11-25"] as const;

const connect = async (era: (typeof ERAS)[number], ...options: string[]) => {
  const program = resolve(import.meta.dirname, "../dist/scripts/nightshift.js");
  const start = {
    command: process.execPath,
    args: [program, "mcp", ...options],
    env: lab.env,
    cwd: lab.repository,
    stderr: "inherit" as const,
  };
  const about = { name: "test", version: "1" };
  const modern = new Client(about, { versionNegotiation: { mode: { pin: "2026-07-28" } } });
  const older = new OlderClient(about);
  if (era === "2026-07-28") await modern.connect(new StdioClientTransport(start));
  else await older.connect(new OlderTransport(start));
  const client = era === "2026-07-28" ? modern : older;
  close = () => client.close();
  return {
    list: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: async (name: string, input: Record<string, unknown>) => {
      const result = (await client.callTool({ name, arguments: input })) as Record<string, unknown>;
      const [first] = result["content"] as { text: string }[];
      return { isError: result["isError"] === true, text: first?.text ?? "" };
    },
  };
};

test.each(ERAS)("%s: without leave an agent reads, and is told what it may not", async (era) => {
  lab.play({ parts: [{ steps: [say("DONE: nothing to do")] }] });
  await lab.start("docs", "--max", "1");
  await lab.ended("docs");
  const { list, call } = await connect(era);
  expect(await list()).toEqual([
    "memory_search",
    "conversations_search",
    "conversations_recall",
    "workers_report",
  ]);
  const { isError, text } = await call("workers_report", { names: ["docs"] });
  expect(isError).toBe(false);
  expect(text).toContain('"docs"');
  expect((await call("conversations_search", { pattern: "--help" })).text).not.toContain("Usage");
  expect(await call("worker_stop", { name: "docs" })).toMatchObject({
    isError: true,
    text: expect.stringContaining("nightshift mcp --allow steer"),
  });
  expect(await call("workers_report", { names: "docs" })).toMatchObject({
    isError: true,
    text: expect.stringContaining("/names"),
  });
  expect(await call("workers_report", { names: ["--help"] })).toMatchObject({ isError: true });
});

test.each(ERAS)("%s: with leave it starts a worker, which outlives it, and stops it", async (era) => {
  lab.play(HANG);
  const first = await connect(era, "--allow", "steer");
  const started = await first.call("worker_start", { name: "docs", task: "--dry-run", agent: "scripted" });
  expect(started).toMatchObject({ isError: false });
  expect(lab.state("docs")).toMatchObject({ task: "--dry-run" });
  await lab.hasSaid("docs", "up");
  await close?.();
  expect(lab.state("docs")?.status).toBe("running");
  const { call } = await connect(era, "--allow", "steer");
  expect(await call("worker_stop", { name: "docs", now: true })).toMatchObject({ isError: false });
  expect(await lab.ended("docs")).toMatchObject({ status: "stopped" });
  const elsewhere = await call("worker_start", { name: "x", task: "t", dir: join(lab.folder, "nowhere") });
  expect(elsewhere).toMatchObject({ isError: true, text: expect.stringContaining("nowhere") });
});
