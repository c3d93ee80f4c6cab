import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { runChild } from "../../../core/child-process.ts";
import { readFileIfThere } from "../../../core/read-file.ts";
import type { TestResult } from "./read-report.ts";
import { NODE_REPORTER, type TestRunner } from "./test-runners.ts";

export type RunPorts = { env: Readonly<Record<string, string | undefined>>; signal: AbortSignal };
export type TestRun = { results: TestResult[]; problem: string | undefined };

/** Runs a project's tests in one folder and reads what their runner reports. Its report is written outside of it. */
export const runTests = async (
  { env, signal }: RunPorts,
  { room, runner, timeoutMs }: { room: string; runner: TestRunner; timeoutMs: number },
): Promise<TestRun> => {
  const folder = mkdtempSync(join(tmpdir(), "nightshift-tests-"));
  try {
    const reporter = join(folder, "reporter.mjs");
    const report = join(folder, "report");
    writeFileSync(reporter, NODE_REPORTER);
    const ran = await runChild({
      command: "sh",
      args: ["-c", runner.command(report, reporter)],
      cwd: room,
      env: { ...env, PATH: `${join(room, "node_modules/.bin")}${delimiter}${env["PATH"] ?? ""}`, CI: "1" },
      timeoutMs,
      signal,
      maxOutputBytes: 64 * 1024 * 1024,
    });
    const results = runner.read(readFileIfThere(report) ?? "", ran.stdout, room);
    const isUnread = results.length === 0 && !ran.isOk;
    const isCut = ran.isTimedOut || ran.isAborted || ran.isMissing;
    return {
      results,
      problem: isCut || isUnread ? `${runner.id}: ${ran.problem ?? "it reported nothing"}` : undefined,
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};
