// @module-tag long
import { spawnSync } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { findIdentity } from "../core/process-identity.ts";
import { findMarked } from "../core/process-tree.ts";
import type { ListedWorker } from "../worker/state/worker-store.ts";

test("the demo takes a worker from a red gate to complete, and a learning from session one to session two", () => {
  const cli = join(import.meta.dirname, "../dist/scripts/nightshift.js");
  const { status, stdout, stderr } = spawnSync(process.execPath, [cli, "demo", "--json"], {
    encoding: "utf8",
  });
  expect([status, stderr]).toEqual([0, ""]);
  const result = JSON.parse(stdout) as ListedWorker & { repository: string; log: string; handoffs: string };
  expect(result).toMatchObject({ shown: "complete", session: 3, isScripted: true });
  expect(result.sessions.map(({ endReason }) => endReason)).toEqual(["context", "done", "done"]);
  expect(result.sessions.map(({ gateAfter }) => gateAfter?.verdict)).toEqual([
    undefined,
    "blocked",
    "healthy",
  ]);

  const events = readFileSync(result.log.replace(/\.log$/, ".events.jsonl"), "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as { type: string; text?: string });
  const recalled = events.filter(({ type }) => type === "memory").map(({ text }) => text ?? "");
  expect(recalled[0]).not.toContain("normalize to NFD");
  expect(recalled[1]).toContain("normalize to NFD");

  expect(findIdentity(result.supervisor.pid)).toBeUndefined();
  for (const { mark } of result.sessions) expect(findMarked(mark)).toEqual([]);
  rmSync(dirname(result.repository), { recursive: true });
});
